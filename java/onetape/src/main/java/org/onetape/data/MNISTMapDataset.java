package org.onetape.data;

import org.onetape.SizeTOptional;
import org.onetape.Value;

/** The dataset of MNIST whose batches are made into one example. */
public final class MNISTMapDataset extends Value {
  private final MNIST dataset;
  private final ExampleStack stack;

  /** Batches of a dataset, stacked. */
  public MNISTMapDataset(MNIST dataset, ExampleStack stack) {
    this.dataset = dataset;
    this.stack = stack;
  }

  /** The batch of some indices. */
  public Example get_batch_example(long... indices) {
    return stack.apply_batch(dataset.get_batch(indices));
  }

  /** The number of samples. */
  public SizeTOptional size() {
    return dataset.size();
  }

  /** The dataset itself. */
  public MNIST dataset() {
    return dataset;
  }

  /** What makes the batches. */
  public ExampleStack transform() {
    return stack;
  }
}
