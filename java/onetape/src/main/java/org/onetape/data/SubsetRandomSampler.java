package org.onetape.data;

import java.util.PrimitiveIterator;
import java.util.stream.LongStream;
import org.onetape.Generator;

/** Given indices in random order. */
public final class SubsetRandomSampler extends Sampler {
  private final long[] indices;
  private final Generator generator;

  /** The given indices. */
  public SubsetRandomSampler(long... indices) {
    this(indices, null);
  }

  /** The given indices, with the numbers of a generator; null for the default. */
  public SubsetRandomSampler(long[] indices, Generator generator) {
    this.indices = indices.clone();
    this.generator = generator;
  }

  @Override
  public PrimitiveIterator.OfLong iterator() {
    long[] order = Draws.permutation(indices.length, generator);
    return LongStream.of(order).map(i -> indices[(int) i]).iterator();
  }

  @Override
  public long size() {
    return indices.length;
  }
}
