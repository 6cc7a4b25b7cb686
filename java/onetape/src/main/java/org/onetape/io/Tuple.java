package org.onetape.io;

import java.util.AbstractList;
import java.util.Collection;
import java.util.List;
import java.util.RandomAccess;

/** Python's {@code tuple}: a list that does not change. Other lists are saved as lists. */
public final class Tuple extends AbstractList<Object> implements RandomAccess {
  private final Object[] items;

  private Tuple(Object[] items) {
    this.items = items;
  }

  /** A tuple of objects. */
  public static Tuple of(Object... items) {
    return new Tuple(items.clone());
  }

  /** A tuple of the objects of a list. */
  public static Tuple copyOf(Collection<?> items) {
    return new Tuple(items.toArray());
  }

  /** Replaces an object while a file is being read. */
  void replace(int i, Object item) {
    items[i] = item;
  }

  @Override
  public Object get(int i) {
    return items[i];
  }

  @Override
  public int size() {
    return items.length;
  }

  /** As Python writes it. */
  @Override
  public String toString() {
    String inner = String.join(", ", (Iterable<String>) () -> texts().iterator());
    return "(" + inner + (items.length == 1 ? ",)" : ")");
  }

  private List<String> texts() {
    return stream().map(String::valueOf).toList();
  }
}
