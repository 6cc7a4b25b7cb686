package org.onetape.data;

import java.util.PrimitiveIterator;
import java.util.stream.LongStream;
import org.onetape.Generator;

/** Indices of weights, each drawn with a probability in proportion to its weight. */
public final class WeightedRandomSampler extends Sampler {
  private final double[] weights;
  private final long samples;
  private final boolean replacement;
  private final Generator generator;

  /** Indices that may repeat. */
  public WeightedRandomSampler(double[] weights, long samples) {
    this(weights, samples, true, null);
  }

  /**
   * Indices with or without repetition.
   *
   * @param generator where the numbers come from; null for the default
   * @throws IllegalArgumentException if the number of samples is not positive
   */
  public WeightedRandomSampler(
      double[] weights, long samples, boolean replacement, Generator generator) {
    this.weights = weights.clone();
    this.samples = checkSamples(samples);
    this.replacement = replacement;
    this.generator = generator;
  }

  @Override
  public PrimitiveIterator.OfLong iterator() {
    return LongStream.of(Draws.weighted(weights, samples, replacement, generator)).iterator();
  }

  @Override
  public long size() {
    return samples;
  }
}
