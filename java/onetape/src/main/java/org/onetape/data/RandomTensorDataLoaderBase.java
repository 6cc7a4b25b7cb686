package org.onetape.data;

import java.util.function.Supplier;

/** A loader whose batches are of the class {@link TensorExampleVector}. */
public abstract class RandomTensorDataLoaderBase extends LoaderBase<TensorExampleVector> {
  RandomTensorDataLoaderBase(
      Sampler sampler, DataLoaderOptions options, Supplier<Fetcher<TensorExampleVector>> fetchers) {
    super(sampler, options, Cargo.TENSOR_EXAMPLES, fetchers);
  }

  /** Starts a pass. */
  public TensorExampleVectorIterator begin() {
    return new TensorExampleVectorIterator(start());
  }

  /** The end of every pass. */
  public TensorExampleVectorIterator end() {
    return new TensorExampleVectorIterator(null);
  }
}
