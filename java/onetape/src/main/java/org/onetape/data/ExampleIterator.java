package org.onetape.data;

/** A place in a pass over batches of the class {@link Example}. */
public final class ExampleIterator extends LoaderIterator<Example> {
  ExampleIterator(Pass<Example> pass) {
    super(pass, Cargo.EXAMPLE);
  }

  /** The batch here, as an object that belongs to the caller's scope. */
  public Example access() {
    return here();
  }

  /** The batch here, as an object that belongs to the caller's scope. */
  public Example multiply() {
    return here();
  }

  /** Moves to the next batch; returns this. */
  public ExampleIterator increment() {
    step();
    return this;
  }

  /** Whether both are at the end, or the same object. */
  public boolean equals(ExampleIterator other) {
    return same(other);
  }

  /** Whether they differ. */
  public boolean notEquals(ExampleIterator other) {
    return !same(other);
  }
}
