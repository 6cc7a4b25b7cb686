package org.onetape.data;

/** A place in a pass over batches of the class {@link TensorExampleVector}. */
public final class TensorExampleVectorIterator extends LoaderIterator<TensorExampleVector> {
  TensorExampleVectorIterator(Pass<TensorExampleVector> pass) {
    super(pass, Cargo.TENSOR_EXAMPLES);
  }

  /** The batch here, as an object that belongs to the caller's scope. */
  public TensorExampleVector access() {
    return here();
  }

  /** The batch here, as an object that belongs to the caller's scope. */
  public TensorExampleVector multiply() {
    return here();
  }

  /** Moves to the next batch; returns this. */
  public TensorExampleVectorIterator increment() {
    step();
    return this;
  }

  /** Whether both are at the end, or the same object. */
  public boolean equals(TensorExampleVectorIterator other) {
    return same(other);
  }

  /** Whether they differ. */
  public boolean notEquals(TensorExampleVectorIterator other) {
    return !same(other);
  }
}
