package org.onetape.data;

/** Gives the samples of a dataset in order, as lists. */
public final class JavaSequentialDataLoader extends SequentialDataLoaderBase {
  /**
   * Batches of a dataset.
   *
   * @throws IllegalArgumentException if an option is out of range
   */
  public JavaSequentialDataLoader(
      JavaDataset dataset, SequentialSampler sampler, DataLoaderOptions options) {
    super(sampler, options, () -> Fetcher.of(dataset, null, ExampleVector::new));
  }
}
