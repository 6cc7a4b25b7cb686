package org.onetape.data;

/** Stacks the data of examples along a new first dimension. */
public final class TensorExampleStack extends TensorExampleCollation {
  /** The one that there is. */
  public TensorExampleStack() {}

  @Override
  public TensorExample apply_batch(TensorExampleVector examples) {
    return new TensorExample(Collation.stacked(examples.get()), true);
  }
}
