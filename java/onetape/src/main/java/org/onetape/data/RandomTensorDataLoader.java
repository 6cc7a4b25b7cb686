package org.onetape.data;

/** Gives the samples of a dataset in random order, as lists. */
public final class RandomTensorDataLoader extends RandomTensorDataLoaderBase {
  /**
   * Batches of a dataset.
   *
   * @throws IllegalArgumentException if an option is out of range
   */
  public RandomTensorDataLoader(
      JavaTensorDataset dataset, RandomSampler sampler, DataLoaderOptions options) {
    super(sampler, options, () -> Fetcher.of(dataset, null, TensorExampleVector::new));
  }
}
