package org.onetape.nn;

import org.onetape.Tensor;

/** The larger of each element and zero. */
public class ReLUImpl extends Module {
  /** The function. */
  public ReLUImpl() {
    super("ReLU");
  }

  @Override
  public Tensor forward(Tensor input) {
    return input.relu();
  }
}
