package org.onetape.data;

/** Gives the samples of a dataset in order, as lists. */
public final class JavaSequentialTensorDataLoader extends SequentialTensorDataLoaderBase {
  /**
   * Batches of a dataset.
   *
   * @throws IllegalArgumentException if an option is out of range
   */
  public JavaSequentialTensorDataLoader(
      JavaTensorDataset dataset, SequentialSampler sampler, DataLoaderOptions options) {
    super(sampler, options, () -> Fetcher.of(dataset, null, TensorExampleVector::new));
  }
}
