package org.onetape.data;

import org.onetape.SizeTPointer;
import org.onetape.Value;

/** How chunks are read. */
public final class ChunkDatasetOptions extends Value {
  private final SizeTPointer preloaderCount;
  private final SizeTPointer batchSize;
  private final SizeTPointer cacheSize;
  private final SizeTPointer crossChunkShuffleCount;

  /** Chunks one by one. */
  public ChunkDatasetOptions(long preloaderCount, long batchSize) {
    this(preloaderCount, batchSize, 2048, 1);
  }

  /**
   * How to read.
   *
   * @param preloaderCount whether chunks are read ahead: 0 if not
   * @param batchSize the examples in a batch
   * @param cacheSize the examples that may be kept ahead
   * @param crossChunkShuffleCount the chunks that are mixed with each other
   * @throws IllegalArgumentException if a number is not positive; the first may be 0
   */
  public ChunkDatasetOptions(
      long preloaderCount, long batchSize, long cacheSize, long crossChunkShuffleCount) {
    this.preloaderCount = number("preloader_count", preloaderCount, 0);
    this.batchSize = number("batch_size", batchSize, 1);
    this.cacheSize = number("cache_size", cacheSize, 1);
    this.crossChunkShuffleCount = number("cross_chunk_shuffle_count", crossChunkShuffleCount, 1);
  }

  private static SizeTPointer number(String name, long value, long least) {
    if (value < least || value > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "ChunkDatasetOptions: " + name + " is out of range: " + value);
    }
    SizeTPointer number = new SizeTPointer(1);
    number.put(value);
    return number;
  }

  /** Whether chunks are read ahead: 0 if not. */
  public SizeTPointer preloader_count() {
    return preloaderCount;
  }

  /** The examples in a batch. */
  public SizeTPointer batch_size() {
    return batchSize;
  }

  /** The examples that may be kept ahead. */
  public SizeTPointer cache_size() {
    return cacheSize;
  }

  /** The chunks that are mixed with each other. */
  public SizeTPointer cross_chunk_shuffle_count() {
    return crossChunkShuffleCount;
  }
}
