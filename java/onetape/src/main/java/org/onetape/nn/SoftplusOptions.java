package org.onetape.nn;

import org.onetape.DoublePointer;
import org.onetape.Value;

/** How a {@link SoftplusImpl} is made. */
public final class SoftplusOptions extends Value {
  private final DoublePointer beta = new DoublePointer(new double[] {1});
  private final DoublePointer threshold = new DoublePointer(new double[] {20});

  /** The default numbers. */
  public SoftplusOptions() {}

  /** How sharp the bend is. */
  public DoublePointer beta() {
    return beta;
  }

  /** Sets how sharp the bend is; returns this. */
  public SoftplusOptions beta(double value) {
    beta.put(value);
    return this;
  }

  /** Above what the function is its input. */
  public DoublePointer threshold() {
    return threshold;
  }

  /** Sets above what the function is its input; returns this. */
  public SoftplusOptions threshold(double value) {
    threshold.put(value);
    return this;
  }
}
