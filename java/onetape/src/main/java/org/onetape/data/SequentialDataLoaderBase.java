package org.onetape.data;

import java.util.function.Supplier;

/** A loader whose batches are of the class {@link ExampleVector}. */
public abstract class SequentialDataLoaderBase extends LoaderBase<ExampleVector> {
  SequentialDataLoaderBase(
      Sampler sampler, DataLoaderOptions options, Supplier<Fetcher<ExampleVector>> fetchers) {
    super(sampler, options, Cargo.EXAMPLES, fetchers);
  }

  /** Starts a pass. */
  public ExampleVectorIterator begin() {
    return new ExampleVectorIterator(start());
  }

  /** The end of every pass. */
  public ExampleVectorIterator end() {
    return new ExampleVectorIterator(null);
  }
}
