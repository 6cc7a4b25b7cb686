package org.onetape.data;

import java.util.function.Supplier;

/** A loader whose batches are of the class {@link Example}. */
public abstract class MNISTRandomDataLoaderBase extends LoaderBase<Example> {
  MNISTRandomDataLoaderBase(
      Sampler sampler, DataLoaderOptions options, Supplier<Fetcher<Example>> fetchers) {
    super(sampler, options, Cargo.EXAMPLE, fetchers);
  }

  /** Starts a pass. */
  public ExampleIterator begin() {
    return new ExampleIterator(start());
  }

  /** The end of every pass. */
  public ExampleIterator end() {
    return new ExampleIterator(null);
  }
}
