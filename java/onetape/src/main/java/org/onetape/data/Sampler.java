package org.onetape.data;

import java.util.Arrays;
import java.util.PrimitiveIterator;
import org.onetape.SizeTOptional;
import org.onetape.SizeTVector;
import org.onetape.SizeTVectorOptional;
import org.onetape.Value;

/**
 * The order in which samples are taken.
 *
 * <p>{@link #iterator()} gives the indices of one pass. {@link #reset()} and {@link #next} give
 * them in portions.
 */
public abstract class Sampler extends Value {
  private PrimitiveIterator.OfLong pass;

  /** For subclasses. */
  protected Sampler() {}

  /** The indices of a pass. */
  public abstract PrimitiveIterator.OfLong iterator();

  /** How many indices a pass gives. */
  public abstract long size();

  /** Takes another size of the dataset; samplers without one have nothing to take. */
  void resize(long size) {}

  /** The indices of a pass that {@link #next} goes through. */
  PrimitiveIterator.OfLong portions() {
    return iterator();
  }

  /** Starts another pass. */
  public void reset() {
    pass = portions();
  }

  /** Starts another pass; over a dataset of the given size, if there is one. */
  public void reset(SizeTOptional size) {
    if (size != null && size.has_value()) {
      resize(size.get());
    }
    reset();
  }

  /**
   * The next indices of the pass, at most as many as asked for; nothing at its end.
   *
   * @throws IllegalArgumentException if none are asked for
   */
  public SizeTVectorOptional next(long count) {
    if (count <= 0) {
      throw new IllegalArgumentException("next: the number of indices must be positive: " + count);
    }
    if (pass == null) {
      pass = portions();
    }
    long[] indices = take(pass, count);
    return indices.length == 0
        ? new SizeTVectorOptional()
        : new SizeTVectorOptional(new SizeTVector(indices));
  }

  static long[] take(PrimitiveIterator.OfLong from, long count) {
    long[] taken = new long[16];
    int size = 0;
    while (size < count && from.hasNext()) {
      if (size == taken.length) {
        taken = Arrays.copyOf(taken, Math.toIntExact(2L * size));
      }
      taken[size++] = from.nextLong();
    }
    return Arrays.copyOf(taken, size);
  }

  static long checkSize(long size) {
    if (size < 0) {
      throw new IllegalArgumentException("the size of a dataset must not be negative: " + size);
    }
    return size;
  }

  static long checkSamples(long count) {
    if (count <= 0) {
      throw new IllegalArgumentException(
          "num_samples should be a positive integer value, but got num_samples=" + count);
    }
    return count;
  }
}
