package org.onetape.data;

import java.util.PrimitiveIterator;
import java.util.stream.LongStream;

/** The indices 0, 1, 2, … */
public final class SequentialSampler extends Sampler {
  private long size;

  /** Of a dataset of the given size. */
  public SequentialSampler(long size) {
    this.size = checkSize(size);
  }

  /** Of a dataset. */
  public SequentialSampler(Dataset<?> dataset) {
    this(dataset.count());
  }

  @Override
  void resize(long newSize) {
    size = checkSize(newSize);
  }

  @Override
  public PrimitiveIterator.OfLong iterator() {
    return LongStream.range(0, size).iterator();
  }

  @Override
  public long size() {
    return size;
  }
}
