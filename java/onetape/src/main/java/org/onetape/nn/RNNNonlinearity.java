package org.onetape.nn;

import org.onetape.Value;

/** What a plain recurrent cell makes of its sums. */
public final class RNNNonlinearity extends Value {
  private final boolean isTanh;

  /** The hyperbolic tangent. */
  public RNNNonlinearity(kTanh tanh) {
    isTanh = true;
  }

  /** The rectifier. */
  public RNNNonlinearity(kReLU relu) {
    isTanh = false;
  }

  boolean isTanh() {
    return isTanh;
  }

  /** The name: {@code tanh} or {@code relu}. */
  @Override
  public String toString() {
    return isTanh ? "tanh" : "relu";
  }
}
