package org.onetape.data;

/** Gives the samples of a dataset in order, as lists. */
public final class SequentialDataLoader extends SequentialDataLoaderBase {
  /**
   * Batches of a dataset.
   *
   * @throws IllegalArgumentException if an option is out of range
   */
  public SequentialDataLoader(
      Dataset<Example> dataset, SequentialSampler sampler, DataLoaderOptions options) {
    super(sampler, options, () -> Fetcher.of(dataset, null, ExampleVector::new));
  }
}
