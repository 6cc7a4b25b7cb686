package org.onetape.data;

import java.util.PrimitiveIterator;
import java.util.stream.LongStream;
import org.onetape.Generator;

/** The share of a dataset that one of several processes takes, of an order that all agree on. */
public final class DistributedSampler extends Sampler {
  private final long size;
  private final long replicas;
  private final long rank;
  private final boolean shuffle;
  private final long seed;
  private final long samples;
  private long epoch;

  /**
   * A share of a random order that begins with the seed 0; the shares are made equal by repeating.
   */
  public DistributedSampler(Dataset<?> dataset, long replicas, long rank) {
    this(dataset, replicas, rank, true, 0, false);
  }

  /**
   * Every replicas-th index, from the rank-th on.
   *
   * @param seed with the epoch decides the order, if it is shuffled
   * @param dropLast whether shares are made equal by leaving indices out rather than by repeating
   * @throws IllegalArgumentException if the rank is not from 0 to replicas - 1
   */
  public DistributedSampler(
      Dataset<?> dataset, long replicas, long rank, boolean shuffle, long seed, boolean dropLast) {
    if (rank < 0 || rank >= replicas) {
      throw new IllegalArgumentException(
          "Invalid rank " + rank + ", rank should be in the interval [0, " + (replicas - 1) + "]");
    }
    size = dataset.count();
    this.replicas = replicas;
    this.rank = rank;
    this.shuffle = shuffle;
    this.seed = seed;
    samples = size / replicas + (dropLast || size % replicas == 0 ? 0 : 1);
  }

  /** Says which pass comes next: each has an order of its own. */
  public void set_epoch(long number) {
    epoch = number;
  }

  @Override
  public PrimitiveIterator.OfLong iterator() {
    LongStream places = LongStream.range(0, samples).map(i -> (rank + i * replicas) % size);
    if (!shuffle || samples == 0) {
      return places.iterator();
    }
    try (Generator generator = new Generator(seed + epoch)) {
      long[] order = Draws.permutation(size, generator);
      return places.map(place -> order[(int) place]).iterator();
    }
  }

  @Override
  public long size() {
    return samples;
  }
}
