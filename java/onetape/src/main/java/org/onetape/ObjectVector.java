package org.onetape;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * What the classes for a growing list of objects have in common.
 *
 * @param <T> the elements
 * @param <V> the list itself, for methods that return it
 */
public abstract class ObjectVector<T, V extends ObjectVector<T, V>> extends Value
    implements Iterable<T> {
  private final List<T> elements = new ArrayList<>();

  /** For subclasses. */
  protected ObjectVector() {}

  @SuppressWarnings("unchecked")
  private V self() {
    return (V) this;
  }

  /** What the list keeps when an element is handed to it. */
  protected T kept(T element) {
    return element;
  }

  /** What a caller gets when asking for an element. */
  protected T shown(T element) {
    return element;
  }

  /** Called for an element that leaves the list. */
  protected void dropped(T element) {}

  /** The list's own elements. */
  protected final List<T> elements() {
    return elements;
  }

  /** The number of elements. */
  public long size() {
    return elements.size();
  }

  /** Whether there are no elements. */
  public boolean empty() {
    return elements.isEmpty();
  }

  /** Removes every element. */
  public void clear() {
    elements.forEach(this::dropped);
    elements.clear();
  }

  /** The i-th element. */
  public T get(long i) {
    return shown(elements.get(check(i, elements.size())));
  }

  /** The first element. */
  public T front() {
    return get(0);
  }

  /** The last element. */
  public T back() {
    return get(elements.size() - 1L);
  }

  /** Adds an element at the end; returns this. */
  public V push_back(T element) {
    elements.add(kept(element));
    return self();
  }

  /** Removes the last element and returns it. */
  public T pop_back() {
    T last = back();
    dropped(elements.remove(elements.size() - 1));
    return last;
  }

  /** Replaces the i-th element; returns this. */
  public V put(long i, T element) {
    dropped(elements.set(check(i, elements.size()), kept(element)));
    return self();
  }

  /** Replaces everything by one element; returns this. */
  public V put(T element) {
    T added = kept(element);
    clear();
    elements.add(added);
    return self();
  }

  /** Replaces everything by the other's elements; returns this. */
  public V put(V other) {
    List<T> copy = new ArrayList<>();
    for (T element : ((ObjectVector<T, V>) other).elements) {
      copy.add(kept(element));
    }
    clear();
    elements.addAll(copy);
    return self();
  }

  private int check(long i, int end) {
    if (i < 0 || i >= end) {
      throw new IndexOutOfBoundsException(
          "index " + i + " of a " + getClass().getSimpleName() + " of " + elements.size());
    }
    return (int) i;
  }

  @Override
  public Iterator<T> iterator() {
    Iterator<T> inner = elements.iterator();
    return new Iterator<T>() {
      @Override
      public boolean hasNext() {
        return inner.hasNext();
      }

      @Override
      public T next() {
        return shown(inner.next());
      }
    };
  }

  /** The elements between brackets. */
  @Override
  public String toString() {
    return elements.toString();
  }

  /**
   * A place in a list, as {@code begin()} and {@code end()} give it.
   *
   * @param <T> the elements
   */
  public abstract static class Place<T> {
    private final ObjectVector<T, ?> list;
    private int index;

    /** The i-th place of a list. */
    protected Place(ObjectVector<T, ?> list, long index) {
      this.list = list;
      this.index = (int) index;
    }

    /** Moves to the next place; returns this. */
    public Place<T> increment() {
      index++;
      return this;
    }

    /** The element here. */
    public T get() {
      if (index >= list.elements.size()) {
        throw new NoSuchElementException("the end of the list");
      }
      return list.get(index);
    }

    /** The element here. */
    public T access() {
      return get();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Place
          && ((Place<?>) other).list == list
          && ((Place<?>) other).index == index;
    }

    @Override
    public int hashCode() {
      return index;
    }
  }
}
