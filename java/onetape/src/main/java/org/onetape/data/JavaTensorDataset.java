package org.onetape.data;

/** Examples without targets by index. */
public abstract class JavaTensorDataset extends Dataset<TensorExample> {
  /** For subclasses. */
  protected JavaTensorDataset() {}

  /** Several samples. */
  public TensorExampleVector get_batch(long... indices) {
    return new TensorExampleVector(getBatch(indices));
  }
}
