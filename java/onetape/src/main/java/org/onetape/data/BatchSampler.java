package org.onetape.data;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.PrimitiveIterator;

/** The indices of a sampler in batches. */
public final class BatchSampler implements Iterable<long[]> {
  private final Sampler sampler;
  private final int batchSize;
  private final boolean dropLast;

  /**
   * Batches of the given size.
   *
   * @param dropLast whether a last batch that is too small is left out
   * @throws IllegalArgumentException if the size is not positive
   */
  public BatchSampler(Sampler sampler, long batchSize, boolean dropLast) {
    if (batchSize <= 0 || batchSize > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "batch_size should be a positive integer value, but got batch_size=" + batchSize);
    }
    this.sampler = sampler;
    this.batchSize = (int) batchSize;
    this.dropLast = dropLast;
  }

  /** The number of batches. */
  public long size() {
    return (sampler.size() + (dropLast ? 0 : batchSize - 1L)) / batchSize;
  }

  @Override
  public Iterator<long[]> iterator() {
    PrimitiveIterator.OfLong indices = sampler.iterator();
    return new Iterator<long[]>() {
      private long[] next;

      @Override
      public boolean hasNext() {
        if (next == null) {
          long[] taken = Sampler.take(indices, batchSize);
          next = taken.length < (dropLast ? batchSize : 1) ? null : taken;
        }
        return next != null;
      }

      @Override
      public long[] next() {
        if (!hasNext()) {
          throw new NoSuchElementException("no more batches");
        }
        long[] taken = next;
        next = null;
        return taken;
      }
    };
  }
}
