package org.onetape;

/** A growing list of tensors some of which may be left out, as indices of dimensions. */
public final class TensorOptionalList extends ObjectVector<TensorOptional, TensorOptionalList> {
  /** An empty list. */
  public TensorOptionalList() {}

  /** The given elements. */
  public TensorOptionalList(TensorOptional... elements) {
    for (TensorOptional element : elements) {
      push_back(element);
    }
  }

  /** The tensors, null where one is left out. */
  Tensor[] toArray() {
    Tensor[] tensors = new Tensor[elements().size()];
    for (int i = 0; i < tensors.length; i++) {
      tensors[i] = OptionalValue.valueOf(elements().get(i));
    }
    return tensors;
  }

  /** The indices these stand for: every position where a tensor is left out. */
  TensorIndex[] toIndices() {
    TensorIndex[] indices = new TensorIndex[elements().size()];
    for (int i = 0; i < indices.length; i++) {
      Tensor tensor = OptionalValue.valueOf(elements().get(i));
      indices[i] = tensor == null ? new TensorIndex(new Slice()) : new TensorIndex(tensor);
    }
    return indices;
  }
}
