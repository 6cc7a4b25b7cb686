package org.onetape.data;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.onetape.Tensor;
import org.onetape.global.torch;

/**
 * Puts samples together as a batch.
 *
 * @param <T> the samples
 */
@FunctionalInterface
public interface Collation<T> {
  /** The batch of some samples, at least one. */
  Batch collate(List<T> samples);

  /**
   * Stacks what can be stacked: the tensors of {@link Example}s, tensors, numbers, booleans, arrays
   * of numbers; column by column where a sample is an array, a list or a map of such things. Other
   * things, such as texts, stay lists.
   *
   * <p>As in Python, numbers with a point become doubles, others 64-bit integers.
   *
   * @throws IllegalArgumentException if samples differ in their number of columns or in their names
   */
  static <T> Batch standard(List<T> samples) {
    Object first = samples.get(0);
    if (first instanceof Example) {
      Tensor[] columns = stacked(samples.toArray(new Example[0]));
      int count = columns.length;
      while (count > 1 && !columns[count - 1].defined()) {
        count--; // samples without a target
      }
      return Batch.of(Arrays.copyOf(columns, count));
    }
    if (first instanceof Map) {
      Map<String, Object> columns = new LinkedHashMap<>();
      for (Object key : ((Map<?, ?>) first).keySet()) {
        columns.put(String.valueOf(key), column(samples, i -> of(samples.get(i), key)));
      }
      return Batch.of(columns);
    }
    if (first instanceof List || first instanceof Object[]) {
      List<List<?>> rows = new ArrayList<>();
      for (Object sample : samples) {
        rows.add(sample instanceof Object[] ? Arrays.asList((Object[]) sample) : (List<?>) sample);
      }
      return rows(rows);
    }
    return Batch.of(List.of(column(samples, samples::get)));
  }

  private static Object of(Object sample, Object key) {
    Map<?, ?> map = (Map<?, ?>) sample;
    if (!map.containsKey(key)) {
      throw new IllegalArgumentException("a sample has no " + key + ": " + map.keySet());
    }
    return map.get(key);
  }

  private static Batch rows(List<List<?>> rows) {
    int width = rows.get(0).size();
    if (rows.stream().anyMatch(row -> row.size() != width)) {
      throw new IllegalArgumentException("each element in list of batch should be of equal size");
    }
    List<Object> columns = new ArrayList<>();
    for (int i = 0; i < width; i++) {
      int place = i;
      columns.add(column(rows, row -> rows.get(row).get(place)));
    }
    return Batch.of(columns);
  }

  private static Object column(List<?> samples, IntFunction<?> value) {
    List<Object> values = new ArrayList<>(samples.size());
    for (int i = 0; i < samples.size(); i++) {
      values.add(value.apply(i));
    }
    Object first = values.get(0);
    if (first instanceof Tensor) {
      return torch.stack(values.toArray(new Tensor[0]));
    }
    if (first instanceof Boolean) {
      boolean[] flags = new boolean[values.size()];
      IntStream.range(0, flags.length).forEach(i -> flags[i] = (Boolean) values.get(i));
      return Tensor.create(flags);
    }
    if (first instanceof Double || first instanceof Float) {
      return Tensor.create(values.stream().mapToDouble(v -> ((Number) v).doubleValue()).toArray());
    }
    if (first instanceof Number) {
      return Tensor.create(values.stream().mapToLong(v -> ((Number) v).longValue()).toArray());
    }
    Tensor[] rows = arrays(values);
    return rows == null ? values : torch.stack(rows);
  }

  /** Tensors of arrays of numbers; null for other values. */
  private static Tensor[] arrays(List<Object> values) {
    Tensor[] rows = new Tensor[values.size()];
    for (int i = 0; i < rows.length; i++) {
      Object value = values.get(i);
      if (value instanceof float[]) {
        rows[i] = Tensor.create((float[]) value);
      } else if (value instanceof double[]) {
        rows[i] = Tensor.create((double[]) value);
      } else if (value instanceof long[]) {
        rows[i] = Tensor.create((long[]) value);
      } else if (value instanceof int[]) {
        rows[i] = Tensor.create((int[]) value);
      } else if (value instanceof byte[]) {
        rows[i] = Tensor.create((byte[]) value);
      } else {
        return null;
      }
    }
    return rows;
  }

  /** The tensors of examples stacked, the first ones, the second ones, … */
  static Tensor[] stacked(Example[] examples) {
    int width = examples[0].count();
    Tensor[] columns = new Tensor[width];
    for (int i = 0; i < width; i++) {
      Tensor[] column = new Tensor[examples.length];
      for (int row = 0; row < column.length; row++) {
        column[row] = examples[row].own(i);
      }
      columns[i] = column[0].defined() ? torch.stack(column) : new Tensor();
    }
    return columns;
  }
}
