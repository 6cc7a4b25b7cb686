package org.onetape;

/** Two results of one operation. */
public final class T_TensorTensorVector_T extends Value {
  private final Tensor value0;
  private final TensorVector value1;

  /** The given results. */
  public T_TensorTensorVector_T(Tensor value0, TensorVector value1) {
    this.value0 = value0;
    this.value1 = value1;
  }

  /** The first result. */
  public Tensor get0() {
    return value0;
  }

  /** The second result. */
  public TensorVector get1() {
    return value1;
  }

  @Override
  public String toString() {
    return "(" + value0 + ", " + value1 + ")";
  }
}
