package org.onetape;

/** Two results of one operation. */
public final class T_PackedSequenceTensor_T extends Value {
  private final PackedSequence value0;
  private final Tensor value1;

  /** The given results. */
  public T_PackedSequenceTensor_T(PackedSequence value0, Tensor value1) {
    this.value0 = value0;
    this.value1 = value1;
  }

  /** The first result. */
  public PackedSequence get0() {
    return value0;
  }

  /** The second result. */
  public Tensor get1() {
    return value1;
  }

  @Override
  public String toString() {
    return "(" + value0 + ", " + value1 + ")";
  }
}
