package org.onetape;

import java.util.Arrays;

/** A list of tensors as an argument. */
public final class TensorArrayRef extends Value {
  private final Tensor[] tensors;

  /** No tensors. */
  public TensorArrayRef() {
    this(new Tensor[0]);
  }

  /** The given tensors. */
  public TensorArrayRef(Tensor... tensors) {
    this.tensors = tensors.clone();
  }

  /** The tensors of a vector. */
  public TensorArrayRef(TensorVector tensors) {
    this.tensors = tensors.toArray();
  }

  /** The number of tensors. */
  public long size() {
    return tensors.length;
  }

  /** Whether there are none. */
  public boolean empty() {
    return tensors.length == 0;
  }

  /** The i-th tensor. */
  public Tensor get(long i) {
    return tensors[Math.toIntExact(i)];
  }

  /** The tensors as a vector. */
  public TensorVector vec() {
    return new TensorVector(tensors);
  }

  static Tensor[] toArray(TensorArrayRef list) {
    return list == null ? null : list.tensors.clone();
  }

  @Override
  public String toString() {
    return Arrays.toString(tensors);
  }
}
