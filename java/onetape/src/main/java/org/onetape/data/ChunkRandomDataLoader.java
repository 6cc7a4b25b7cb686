package org.onetape.data;

/** Gives the batches of a {@link ChunkDataset}, each as one example. */
public final class ChunkRandomDataLoader extends ChunkRandomDataLoaderBase {
  private final ChunkMapDataset dataset;

  /**
   * Batches of a dataset, whose options give their size. With workers, or preloaders in the
   * dataset's options, one thread reads ahead.
   *
   * @throws IllegalArgumentException if an option is out of range
   */
  public ChunkRandomDataLoader(ChunkMapDataset dataset, DataLoaderOptions options) {
    super(null, options, () -> fetcher(dataset));
    this.dataset = dataset;
  }

  private static Fetcher<Example> fetcher(ChunkMapDataset dataset) {
    long pass = dataset.dataset().access().pass();
    return new Fetcher<Example>() {
      private long taken;

      @Override
      Example fetch(long[] indices) {
        workOn(taken++);
        return dataset.next(pass);
      }
    };
  }

  @Override
  long workers() {
    long preloaders = dataset.dataset().access().options().preloader_count().get();
    return Math.min(1, super.workers() + preloaders);
  }

  @Override
  public ExampleIterator begin() {
    close();
    dataset.dataset().reset();
    return super.begin();
  }
}
