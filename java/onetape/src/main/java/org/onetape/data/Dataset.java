package org.onetape.data;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.onetape.Generator;
import org.onetape.SizeTOptional;
import org.onetape.Tensor;
import org.onetape.Value;

/**
 * Samples by index.
 *
 * <p>A subclass has {@link #get} and {@link #size}. Loaders call {@code get} from several threads,
 * each in a scope that ends when the batch is made: what {@code get} makes needs no closing, and
 * what it wants to keep for later, {@link Tensor#keep()}.
 *
 * @param <T> the samples
 */
public abstract class Dataset<T> extends Value implements Iterable<T> {
  /** For subclasses. */
  protected Dataset() {}

  /** The sample of an index. */
  public abstract T get(long index);

  /** The number of samples, if it is known. */
  public abstract SizeTOptional size();

  /** The samples of a list. */
  public static <T> Dataset<T> of(List<T> samples) {
    return of(samples.size(), i -> samples.get(Math.toIntExact(i)));
  }

  /** Samples that a function makes of their index. */
  public static <T> Dataset<T> of(long size, LongFunction<? extends T> samples) {
    Sampler.checkSize(size);
    return new Dataset<T>() {
      @Override
      public T get(long index) {
        return samples.apply(checkIndex(index, size));
      }

      @Override
      public SizeTOptional size() {
        return new SizeTOptional(size);
      }
    };
  }

  static long checkIndex(long index, long size) {
    if (index < 0 || index >= size) {
      throw new IndexOutOfBoundsException("index " + index + " of a dataset of " + size);
    }
    return index;
  }

  /**
   * The number of samples.
   *
   * @throws UnsupportedOperationException if it is not known
   */
  public final long count() {
    SizeTOptional size = size();
    if (size == null || !size.has_value()) {
      throw new UnsupportedOperationException(
          getClass().getSimpleName() + ": the dataset does not know its size");
    }
    return size.get();
  }

  /** Several samples. */
  public List<T> getBatch(long... indices) {
    List<T> samples = new ArrayList<>(indices.length);
    for (long index : indices) {
      samples.add(get(index));
    }
    return samples;
  }

  /** All samples of these indices, stacked column by column; null where that cannot be done. */
  Tensor[] gather(long[] indices) {
    return null;
  }

  /** The samples in their order. */
  public Stream<T> stream() {
    return LongStream.range(0, count()).mapToObj(this::get);
  }

  @Override
  public Iterator<T> iterator() {
    return stream().iterator();
  }

  /** The samples as a function changes them, each time they are asked for. */
  public <R> Dataset<R> map(Function<? super T, ? extends R> function) {
    Dataset<T> all = this;
    return new Dataset<R>() {
      @Override
      public R get(long index) {
        return function.apply(all.get(index));
      }

      @Override
      public SizeTOptional size() {
        return all.size();
      }
    };
  }

  /** Those samples that the indices name, in their order. */
  public Dataset<T> subset(long... indices) {
    long[] chosen = indices.clone();
    Dataset<T> all = this;
    return new Dataset<T>() {
      @Override
      public T get(long index) {
        return all.get(chosen[(int) checkIndex(index, chosen.length)]);
      }

      @Override
      public SizeTOptional size() {
        return new SizeTOptional(chosen.length);
      }

      @Override
      Tensor[] gather(long[] places) {
        if (Arrays.stream(places).anyMatch(i -> i < 0 || i >= chosen.length)) {
          return null;
        }
        return all.gather(Arrays.stream(places).map(i -> chosen[(int) i]).toArray());
      }
    };
  }

  /** These samples and then another dataset's. */
  public Dataset<T> concat(Dataset<? extends T> other) {
    Dataset<T> first = this;
    return new Dataset<T>() {
      @Override
      public T get(long index) {
        long before = first.count();
        checkIndex(index, before + other.count());
        return index < before ? first.get(index) : other.get(index - before);
      }

      @Override
      public SizeTOptional size() {
        return new SizeTOptional(first.count() + other.count());
      }
    };
  }

  /**
   * The samples of two datasets, made one by a function.
   *
   * @throws IllegalArgumentException if they differ in length
   */
  public <U, R> Dataset<R> zip(
      Dataset<U> other, BiFunction<? super T, ? super U, ? extends R> together) {
    if (count() != other.count()) {
      throw new IllegalArgumentException("Size mismatch between datasets");
    }
    Dataset<T> first = this;
    return new Dataset<R>() {
      @Override
      public R get(long index) {
        return together.apply(first.get(index), other.get(index));
      }

      @Override
      public SizeTOptional size() {
        return first.size();
      }
    };
  }

  /**
   * Splits at random into parts of the given sizes; see {@link #randomSplit(Generator, long...)}.
   */
  public List<Dataset<T>> randomSplit(long... sizes) {
    return randomSplit(null, sizes);
  }

  /**
   * Splits at random into parts that have nothing in common.
   *
   * @param generator where the permutation comes from; null for the default generator
   * @throws IllegalArgumentException if the sizes do not add up to the dataset's
   */
  public List<Dataset<T>> randomSplit(Generator generator, long... sizes) {
    long count = count();
    if (Arrays.stream(sizes).anyMatch(size -> size < 0) || Arrays.stream(sizes).sum() != count) {
      throw new IllegalArgumentException(
          "Sum of input lengths does not equal the length of the input dataset!");
    }
    long[] order = Draws.permutation(count, generator);
    List<Dataset<T>> parts = new ArrayList<>();
    int end = 0;
    for (long size : sizes) {
      parts.add(subset(Arrays.copyOfRange(order, end, end += (int) size)));
    }
    return parts;
  }

  /** Splits at random into fractions; see {@link #randomSplit(Generator, double...)}. */
  public List<Dataset<T>> randomSplit(double... fractions) {
    return randomSplit(null, fractions);
  }

  /**
   * Splits at random into fractions, which add up to 1. What rounding down leaves over goes to the
   * first parts.
   *
   * @param generator where the permutation comes from; null for the default generator
   * @throws IllegalArgumentException if a fraction is not in [0, 1], or they do not add up to 1
   */
  public List<Dataset<T>> randomSplit(Generator generator, double... fractions) {
    double sum = Arrays.stream(fractions).sum();
    if (!(Math.abs(sum - 1) <= 1e-9 * Math.max(1, Math.abs(sum)) && sum <= 1)) {
      throw new IllegalArgumentException("randomSplit: the fractions add up to " + sum + ", not 1");
    }
    long count = count();
    long[] sizes = new long[fractions.length];
    for (int i = 0; i < sizes.length; i++) {
      if (fractions[i] < 0 || fractions[i] > 1) {
        throw new IllegalArgumentException("Fraction at index " + i + " is not between 0 and 1");
      }
      sizes[i] = (long) Math.floor(count * fractions[i]);
    }
    long rest = count - Arrays.stream(sizes).sum();
    for (long i = 0; i < rest; i++) {
      sizes[(int) (i % sizes.length)]++;
    }
    return randomSplit(generator, sizes);
  }
}
