package org.onetape.data;

import org.onetape.Tensor;

/** A sample without a target. */
public final class TensorExample extends Example {
  /** The given data. */
  public TensorExample(Tensor data) {
    super(new Tensor[] {data});
  }

  TensorExample(Tensor[] tensors, boolean taken) {
    super(tensors, taken);
  }

  @Override
  TensorExample unscoped() {
    return new TensorExample(unscoped(new Tensor[] {own(0)}), true);
  }

  @Override
  public TensorExample data(Tensor tensor) {
    super.data(tensor);
    return this;
  }
}
