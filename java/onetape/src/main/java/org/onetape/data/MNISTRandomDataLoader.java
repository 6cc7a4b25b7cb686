package org.onetape.data;

/** Gives the digits of MNIST in random order, each batch as one example. */
public final class MNISTRandomDataLoader extends MNISTRandomDataLoaderBase {
  /**
   * Batches of a dataset.
   *
   * @throws IllegalArgumentException if an option is out of range
   */
  public MNISTRandomDataLoader(
      MNISTMapDataset dataset, RandomSampler sampler, DataLoaderOptions options) {
    super(
        sampler,
        options,
        () ->
            Fetcher.of(
                dataset.dataset(),
                columns -> new Example(columns, true),
                samples -> dataset.transform().apply_batch(new ExampleVector(samples))));
  }
}
