package org.onetape;

/** Three results of one operation. */
public final class T_TensorTensorTensor_T extends Value {
  private final Tensor value0;
  private final Tensor value1;
  private final Tensor value2;

  /** The given results. */
  public T_TensorTensorTensor_T(Tensor value0, Tensor value1, Tensor value2) {
    this.value0 = value0;
    this.value1 = value1;
    this.value2 = value2;
  }

  /** The first result. */
  public Tensor get0() {
    return value0;
  }

  /** The second result. */
  public Tensor get1() {
    return value1;
  }

  /** The third result. */
  public Tensor get2() {
    return value2;
  }

  @Override
  public String toString() {
    return "(" + value0 + ", " + value1 + ", " + value2 + ")";
  }
}
