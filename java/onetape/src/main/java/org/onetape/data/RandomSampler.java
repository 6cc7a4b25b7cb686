package org.onetape.data;

import java.util.PrimitiveIterator;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.onetape.Generator;

/**
 * Indices in random order, with or without repetition.
 *
 * <p>{@link #iterator()} gives the order of Python's sampler for the same seed: without a generator
 * of its own, each pass has one that is seeded from the default generator. {@link #reset()} and
 * {@link #next} give the order of the C++ library, which draws from the default generator itself.
 */
public final class RandomSampler extends Sampler {
  /** Numbers drawn together with repetition; decides which numbers a seed gives. */
  private static final int DRAWN_AT_ONCE = 32;

  private long size;
  private final boolean replacement;
  private final long samples; // 0 for as many as there are
  private final Generator generator;
  private long[] order;

  /** Every index once. */
  public RandomSampler(long size) {
    this.size = checkSize(size);
    replacement = false;
    samples = 0;
    generator = null;
    order = Draws.permutation(size, null);
  }

  /** Every index of a dataset once. */
  public RandomSampler(Dataset<?> dataset) {
    this(dataset, null);
  }

  /** Every index of a dataset once, with the numbers of a generator; null for the default. */
  public RandomSampler(Dataset<?> dataset, Generator generator) {
    this(dataset, false, dataset.count(), generator);
  }

  /**
   * Indices of a dataset.
   *
   * @param replacement whether an index may come again before all have come
   * @param samples how many
   * @param generator where the numbers come from; null for the default
   * @throws IllegalArgumentException if the number of samples is not positive
   */
  public RandomSampler(Dataset<?> dataset, boolean replacement, long samples, Generator generator) {
    size = dataset.count();
    this.replacement = replacement;
    this.samples = checkSamples(samples);
    this.generator = generator;
  }

  @Override
  void resize(long newSize) {
    size = checkSize(newSize);
  }

  @Override
  public PrimitiveIterator.OfLong iterator() {
    if (generator != null) {
      return pass(generator, size(), size);
    }
    Generator own = new Generator(Draws.seed(null));
    return pass(own, size(), size);
  }

  private PrimitiveIterator.OfLong pass(Generator from, long count, long range) {
    long portion = replacement ? DRAWN_AT_ONCE : range;
    if (portion == 0) {
      return LongStream.empty().iterator();
    }
    LongFunction<long[]> draw =
        n -> replacement ? Draws.numbers(range, n, from) : Draws.permutation(range, from);
    // As in Python: whole portions, then the rest; of a permutation also where nothing is left.
    long portions = count / portion + (replacement && count % portion == 0 ? 0 : 1);
    return LongStream.range(0, portions)
        .flatMap(
            i -> {
              long wanted = Math.min(portion, count - i * portion);
              return LongStream.of(draw.apply(wanted)).limit(wanted);
            })
        .iterator();
  }

  @Override
  PrimitiveIterator.OfLong portions() {
    if (replacement || samples != 0) {
      return iterator();
    }
    long[] indices = order == null ? Draws.permutation(size, null) : order;
    order = null;
    return LongStream.of(indices).iterator();
  }

  @Override
  public void reset() {
    order = null; // the one drawn by the constructor counts only if there is no reset
    super.reset();
  }

  @Override
  public long size() {
    return samples == 0 ? size : samples;
  }
}
