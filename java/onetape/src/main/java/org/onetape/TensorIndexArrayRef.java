package org.onetape;

/** The indices between brackets as an argument. */
public final class TensorIndexArrayRef extends Value {
  private final TensorIndex[] indices;

  /** The indices of a vector. */
  public TensorIndexArrayRef(TensorIndexVector indices) {
    this.indices = indices.toArray();
  }

  /** The given indices. */
  public TensorIndexArrayRef(TensorIndex... indices) {
    this.indices = indices.clone();
  }

  /** The number of indices. */
  public long size() {
    return indices.length;
  }

  /** The i-th index. */
  public TensorIndex get(long i) {
    return indices[Math.toIntExact(i)];
  }

  TensorIndex[] toArray() {
    return indices.clone();
  }
}
