package org.onetape;

/** Two results of one operation. */
public final class T_PackedSequenceT_TensorTensor_T_T extends Value {
  private final PackedSequence value0;
  private final T_TensorTensor_T value1;

  /** The given results. */
  public T_PackedSequenceT_TensorTensor_T_T(PackedSequence value0, T_TensorTensor_T value1) {
    this.value0 = value0;
    this.value1 = value1;
  }

  /** The first result. */
  public PackedSequence get0() {
    return value0;
  }

  /** The second result. */
  public T_TensorTensor_T get1() {
    return value1;
  }

  @Override
  public String toString() {
    return "(" + value0 + ", " + value1 + ")";
  }
}
