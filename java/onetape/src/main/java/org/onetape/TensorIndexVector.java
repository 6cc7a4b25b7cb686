package org.onetape;

/** The indices between brackets, one for each dimension from the first on. */
public final class TensorIndexVector extends ObjectVector<TensorIndex, TensorIndexVector> {
  /** No indices. */
  public TensorIndexVector() {}

  /** One index. */
  public TensorIndexVector(TensorIndex index) {
    push_back(index);
  }

  /** The given indices. */
  public TensorIndexVector(TensorIndex... indices) {
    for (TensorIndex index : indices) {
      push_back(index);
    }
  }

  TensorIndex[] toArray() {
    return elements().toArray(new TensorIndex[0]);
  }
}
