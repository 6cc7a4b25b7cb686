package org.onetape;

import java.util.Collection;
import org.onetape.internal.RefList;

/**
 * A growing list of tensors.
 *
 * <p>The list has references of its own: closing a tensor that was added, or one that was got from
 * the list, does not change the list. {@link #close()} lets go of them.
 */
public final class TensorVector extends ObjectVector<Tensor, TensorVector> {
  private final RefList owner = RefList.current();

  /** An empty list. */
  public TensorVector() {}

  /** A list with the given tensors. */
  public TensorVector(Tensor... tensors) {
    for (Tensor tensor : tensors) {
      push_back(tensor);
    }
  }

  /** A list with the given tensors. */
  public TensorVector(Collection<? extends Tensor> tensors) {
    tensors.forEach(this::push_back);
  }

  /** A list with one tensor. */
  public TensorVector(Tensor tensor) {
    push_back(tensor);
  }

  /** A list of the given number of undefined tensors. */
  public TensorVector(long size) {
    resize(size);
  }

  @Override
  protected Tensor kept(Tensor tensor) {
    return tensor.aliasIn(owner);
  }

  @Override
  protected Tensor shown(Tensor tensor) {
    return tensor.alias();
  }

  @Override
  protected void dropped(Tensor tensor) {
    tensor.close();
  }

  /** Removes tensors from the end, or adds undefined ones there; returns this. */
  public TensorVector resize(long size) {
    while (size() > size) {
      dropped(elements().remove((int) size() - 1));
    }
    while (size() < size) {
      push_back(new Tensor());
    }
    return this;
  }

  /** The tensors as an array. */
  public Tensor[] get() {
    Tensor[] array = toArray();
    for (int i = 0; i < array.length; i++) {
      array[i] = shown(array[i]);
    }
    return array;
  }

  /** Replaces everything by the given tensors; returns this. */
  public TensorVector put(Tensor... tensors) {
    return put(new TensorVector(tensors));
  }

  /** The list's own tensors. */
  Tensor[] toArray() {
    return elements().toArray(new Tensor[0]);
  }

  /** Lets go of the tensors. */
  @Override
  public void close() {
    clear();
  }

  /** The place of the first tensor. */
  public Iterator begin() {
    return new Iterator(this, 0);
  }

  /** The place after the last tensor. */
  public Iterator end() {
    return new Iterator(this, size());
  }

  /** A place in the list. */
  public static final class Iterator extends Place<Tensor> {
    Iterator(TensorVector list, long index) {
      super(list, index);
    }

    @Override
    public Iterator increment() {
      super.increment();
      return this;
    }

    /** Whether both are the same place. */
    public boolean equals(Iterator other) {
      return super.equals(other);
    }
  }
}
