package org.onetape;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the classes for objects under names have in common; the order is that of insertion.
 *
 * @param <T> the objects
 */
public abstract class ObjectDict<T> extends Value {
  private final Map<String, T> entries = new LinkedHashMap<>();

  /** For subclasses. */
  protected ObjectDict() {}

  /** The objects under their names. */
  protected final Map<String, T> entries() {
    return entries;
  }

  /** The number of objects. */
  public long size() {
    return entries.size();
  }

  /** Whether there are no objects. */
  public boolean is_empty() {
    return entries.isEmpty();
  }

  /** Whether there is an object under a name. */
  public boolean contains(String name) {
    return entries.containsKey(name);
  }

  /** Whether there is an object under a name. */
  public boolean contains(BytePointer name) {
    return contains(name.getString());
  }

  /**
   * The object under a name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public T get(String name) {
    if (!contains(name)) {
      throw new IllegalArgumentException("Key '" + name + "' is not defined");
    }
    return entries.get(name);
  }

  /** The object under a name. */
  public T get(BytePointer name) {
    return get(name.getString());
  }

  /** The object under a name, or null. */
  public T find(String name) {
    return entries.get(name);
  }

  /** The names. */
  public StringVector keys() {
    return new StringVector(entries.keySet().toArray(new String[0]));
  }

  /** Puts an object under a name that is not in use yet. */
  public T insert(String name, T value) {
    if (contains(name)) {
      throw new IllegalArgumentException("Key '" + name + "' already defined");
    }
    entries.put(name, value);
    return value;
  }

  /** Puts an object under a name that is not in use yet. */
  public T insert(BytePointer name, T value) {
    return insert(name.getString(), value);
  }

  /** Removes every object. */
  public void clear() {
    entries.clear();
  }

  /** The i-th name. */
  protected final String nameAt(long i) {
    List<String> names = new ArrayList<>(entries.keySet());
    if (i < 0 || i >= names.size()) {
      throw new IndexOutOfBoundsException("index " + i + " of " + names.size());
    }
    return names.get((int) i);
  }

  /** The names with their objects. */
  @Override
  public String toString() {
    return entries.toString();
  }

  /**
   * A name with its object.
   *
   * @param <T> the object
   */
  public abstract static class Item<T> extends Value {
    private final String key;
    private final T value;

    /** The given name and object. */
    protected Item(String key, T value) {
      this.key = key;
      this.value = value;
    }

    /** The name. */
    public BytePointer key() {
      return new BytePointer(key);
    }

    /** The object. */
    public T value() {
      return value;
    }

    /** The object. */
    public T access() {
      return value;
    }

    @Override
    public String toString() {
      return key + "=" + value;
    }
  }
}
