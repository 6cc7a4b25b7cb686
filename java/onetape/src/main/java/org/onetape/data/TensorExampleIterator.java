package org.onetape.data;

/** A place in a pass over batches of the class {@link TensorExample}. */
public final class TensorExampleIterator extends LoaderIterator<TensorExample> {
  TensorExampleIterator(Pass<TensorExample> pass) {
    super(pass, Cargo.TENSOR_EXAMPLE);
  }

  /** The batch here, as an object that belongs to the caller's scope. */
  public TensorExample access() {
    return here();
  }

  /** The batch here, as an object that belongs to the caller's scope. */
  public TensorExample multiply() {
    return here();
  }

  /** Moves to the next batch; returns this. */
  public TensorExampleIterator increment() {
    step();
    return this;
  }

  /** Whether both are at the end, or the same object. */
  public boolean equals(TensorExampleIterator other) {
    return same(other);
  }

  /** Whether they differ. */
  public boolean notEquals(TensorExampleIterator other) {
    return !same(other);
  }
}
