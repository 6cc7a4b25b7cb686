package org.onetape.data;

/** Gives the samples of a dataset in random order, as lists. */
public final class JavaRandomDataLoader extends RandomDataLoaderBase {
  /**
   * Batches of a dataset.
   *
   * @throws IllegalArgumentException if an option is out of range
   */
  public JavaRandomDataLoader(
      JavaDataset dataset, RandomSampler sampler, DataLoaderOptions options) {
    super(sampler, options, () -> Fetcher.of(dataset, null, ExampleVector::new));
  }
}
