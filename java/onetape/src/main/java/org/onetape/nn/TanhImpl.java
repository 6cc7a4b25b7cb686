package org.onetape.nn;

import org.onetape.Tensor;

/** The hyperbolic tangent of each element. */
public class TanhImpl extends Module {
  /** The function. */
  public TanhImpl() {
    super("Tanh");
  }

  @Override
  public Tensor forward(Tensor input) {
    return input.tanh();
  }
}
