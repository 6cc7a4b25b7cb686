package org.onetape.data;

/** Examples by index. */
public abstract class JavaDataset extends Dataset<Example> {
  /** For subclasses. */
  protected JavaDataset() {}

  /** Several samples. */
  public ExampleVector get_batch(long... indices) {
    return new ExampleVector(getBatch(indices));
  }
}
