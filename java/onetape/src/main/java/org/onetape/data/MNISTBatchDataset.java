package org.onetape.data;

/** What a dataset of MNIST can do with batches. */
public abstract class MNISTBatchDataset extends Dataset<Example> {
  MNISTBatchDataset() {}

  /** Several samples. */
  public ExampleVector get_batch(long... indices) {
    return new ExampleVector(getBatch(indices));
  }

  /** The same dataset with its batches made into one example. */
  public MNISTMapDataset map(ExampleStack stack) {
    return new MNISTMapDataset((MNIST) this, stack);
  }
}
