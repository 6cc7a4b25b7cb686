package org.onetape.data;

/** Gives the samples of a dataset in order, as lists. */
public final class SequentialTensorDataLoader extends SequentialTensorDataLoaderBase {
  /**
   * Batches of a dataset.
   *
   * @throws IllegalArgumentException if an option is out of range
   */
  public SequentialTensorDataLoader(
      JavaTensorDataset dataset, SequentialSampler sampler, DataLoaderOptions options) {
    super(sampler, options, () -> Fetcher.of(dataset, null, TensorExampleVector::new));
  }
}
