package org.onetape.data;

/** Stacks the data and the targets of examples, each along a new first dimension. */
public final class ExampleStack extends ExampleCollation {
  /** The one that there is. */
  public ExampleStack() {}

  @Override
  public Example apply_batch(ExampleVector examples) {
    return new Example(Collation.stacked(examples.get()), true);
  }
}
