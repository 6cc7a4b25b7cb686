package org.onetape.data;

/** A place in a pass over batches of the class {@link ExampleVector}. */
public final class ExampleVectorIterator extends LoaderIterator<ExampleVector> {
  ExampleVectorIterator(Pass<ExampleVector> pass) {
    super(pass, Cargo.EXAMPLES);
  }

  /** The batch here, as an object that belongs to the caller's scope. */
  public ExampleVector access() {
    return here();
  }

  /** The batch here, as an object that belongs to the caller's scope. */
  public ExampleVector multiply() {
    return here();
  }

  /** Moves to the next batch; returns this. */
  public ExampleVectorIterator increment() {
    step();
    return this;
  }

  /** Whether both are at the end, or the same object. */
  public boolean equals(ExampleVectorIterator other) {
    return same(other);
  }

  /** Whether they differ. */
  public boolean notEquals(ExampleVectorIterator other) {
    return !same(other);
  }
}
