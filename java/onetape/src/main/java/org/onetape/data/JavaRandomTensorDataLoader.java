package org.onetape.data;

/** Gives the samples of a dataset in random order, as lists. */
public final class JavaRandomTensorDataLoader extends RandomTensorDataLoaderBase {
  /**
   * Batches of a dataset.
   *
   * @throws IllegalArgumentException if an option is out of range
   */
  public JavaRandomTensorDataLoader(
      JavaTensorDataset dataset, RandomSampler sampler, DataLoaderOptions options) {
    super(sampler, options, () -> Fetcher.of(dataset, null, TensorExampleVector::new));
  }
}
