package org.onetape.data;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.onetape.Tensor;
import org.onetape.Value;
import org.onetape.internal.Access;

/**
 * Samples put together: columns, most of them tensors whose first dimension counts the samples.
 *
 * <p>A batch belongs to the scope that was open when the loader gave it.
 */
public final class Batch extends Value {
  private final Map<String, Object> columns;

  private Batch(Map<String, Object> columns) {
    this.columns = columns;
  }

  /** A batch of these tensors: data, target, and more. */
  public static Batch of(Tensor... tensors) {
    return of(List.of(tensors));
  }

  /** A batch of columns without names, each a tensor or a list of values. */
  public static Batch of(List<?> columns) {
    Map<String, Object> named = new LinkedHashMap<>();
    for (Object column : columns) {
      named.put(Integer.toString(named.size()), column);
    }
    return of(named);
  }

  /**
   * A batch of columns with names, each a tensor or a list of values.
   *
   * @throws IllegalArgumentException if there is no column, or one of another kind
   */
  public static Batch of(Map<String, ?> columns) {
    if (columns.isEmpty()) {
      throw new IllegalArgumentException("a batch needs a column");
    }
    columns.forEach(
        (name, column) -> {
          if (!(column instanceof Tensor) && !(column instanceof List)) {
            throw new IllegalArgumentException(
                "column " + name + " of a batch must be a tensor or a list, but is " + column);
          }
        });
    return new Batch(new LinkedHashMap<>(columns));
  }

  Batch unscoped() {
    Map<String, Object> copy = new LinkedHashMap<>(columns);
    copy.replaceAll(
        (name, column) -> column instanceof Tensor ? Access.unscoped((Tensor) column) : column);
    return new Batch(copy);
  }

  void adopt() {
    for (Object column : columns.values()) {
      if (column instanceof Tensor) {
        Access.adopted((Tensor) column);
      }
    }
  }

  /** The number of samples. */
  public long size() {
    for (Object column : columns.values()) {
      if (column instanceof List) {
        return ((List<?>) column).size();
      }
      if (((Tensor) column).defined()) {
        return ((Tensor) column).size(0);
      }
    }
    return 0;
  }

  /** The number of columns. */
  public int columns() {
    return columns.size();
  }

  /** The names of the columns; their numbers where the samples give no names. */
  public List<String> names() {
    return List.copyOf(columns.keySet());
  }

  private Object column(String name) {
    Object column = columns.get(name);
    if (column == null) {
      throw new IllegalArgumentException(
          "no column " + name + " in a batch of " + columns.keySet());
    }
    return column;
  }

  private String name(int i) {
    if (i < 0 || i >= columns.size()) {
      throw new IndexOutOfBoundsException("column " + i + " of a batch of " + columns.size());
    }
    return new ArrayList<>(columns.keySet()).get(i);
  }

  /** The first column. */
  public Tensor data() {
    return get(0);
  }

  /** The second column. */
  public Tensor target() {
    return get(1);
  }

  /** The i-th column; see {@link #get(String)}. */
  public Tensor get(int i) {
    return get(name(i));
  }

  /**
   * The tensor of a column.
   *
   * @throws IllegalArgumentException if there is no such column, or it is a list of values
   */
  public Tensor get(String name) {
    Object column = column(name);
    if (!(column instanceof Tensor)) {
      throw new IllegalArgumentException("column " + name + " is a list; take values() of it");
    }
    return (Tensor) column;
  }

  /** The i-th column; see {@link #values(String)}. */
  public List<?> values(int i) {
    return values(name(i));
  }

  /**
   * The values of a column that no tensor holds, such as texts.
   *
   * @throws IllegalArgumentException if there is no such column, or it is a tensor
   */
  public List<?> values(String name) {
    Object column = column(name);
    if (!(column instanceof List)) {
      throw new IllegalArgumentException("column " + name + " is a tensor; take get() of it");
    }
    return (List<?>) column;
  }

  /** Lets go of the tensors. */
  @Override
  public void close() {
    for (Object column : columns.values()) {
      if (column instanceof Tensor) {
        ((Tensor) column).close();
      }
    }
  }

  /** The columns by name. */
  @Override
  public String toString() {
    return columns.toString();
  }
}
