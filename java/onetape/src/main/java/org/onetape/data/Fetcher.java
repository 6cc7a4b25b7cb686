package org.onetape.data;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import org.onetape.Tensor;

/**
 * Takes samples out of a dataset and makes a result of them. Every worker has one of its own.
 *
 * @param <R> the results
 */
abstract class Fetcher<R> {
  private static final int SHOWN = 8;

  private long[] at = {};

  /** The result for some indices; null at the end of a stream. */
  abstract R fetch(long[] indices);

  final void workOn(long... indices) {
    at = indices;
  }

  /** What is being worked on, for errors. */
  final String place() {
    if (at.length == 1) {
      return "sample " + at[0];
    }
    String shown = Arrays.toString(Arrays.copyOf(at, Math.min(at.length, SHOWN)));
    return "samples " + shown.substring(1, shown.length() - 1) + (at.length > SHOWN ? ", …" : "");
  }

  /** By index; the columns of all samples come at once where the dataset can do that. */
  static <T, R> Fetcher<R> of(
      Dataset<T> dataset, Function<Tensor[], R> together, Function<List<T>, R> collation) {
    return new Fetcher<R>() {
      @Override
      R fetch(long[] indices) {
        workOn(indices);
        Tensor[] columns = together == null ? null : dataset.gather(indices);
        if (columns != null) {
          return together.apply(columns);
        }
        List<T> samples = new ArrayList<>(indices.length);
        for (long index : indices) {
          workOn(index);
          samples.add(dataset.get(index));
        }
        workOn(indices);
        return collation.apply(samples);
      }
    };
  }

  /** One after the other; so many as there are indices. */
  static <T, R> Fetcher<R> of(
      IterableDataset<T> dataset, boolean dropLast, Function<List<T>, R> collation) {
    return new Fetcher<R>() {
      private Iterator<T> stream;
      private long taken;

      @Override
      R fetch(long[] indices) {
        workOn(taken);
        if (stream == null) {
          stream = dataset.iterator();
        }
        List<T> samples = new ArrayList<>();
        while (samples.size() < indices.length && stream.hasNext()) {
          samples.add(stream.next());
          workOn(++taken);
        }
        if (samples.size() < (dropLast ? indices.length : 1)) {
          return null;
        }
        long[] places = new long[samples.size()];
        Arrays.setAll(places, i -> taken - places.length + i);
        workOn(places);
        return collation.apply(samples);
      }
    };
  }
}
