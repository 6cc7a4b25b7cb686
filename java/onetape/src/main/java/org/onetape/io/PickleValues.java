package org.onetape.io;

import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** What may become of the values on the stack of a {@link PickleReader}. */
final class PickleValues {
  /** The most parts of a key; tuples in tuples could else take ages to hash. */
  private static final int KEYS = 1000;

  private final Map<Tuple, Boolean> settled = new IdentityHashMap<>();

  /** A value that is to stay, with storages as tensors, also inside of tuples. */
  Object settled(Object value) {
    if (value instanceof Rebuild.Storage) {
      return ((Rebuild.Storage) value).tensor();
    }
    Deque<Tuple> waiting = new ArrayDeque<>();
    if (value instanceof Tuple) {
      waiting.push((Tuple) value);
    }
    while (!waiting.isEmpty()) {
      Tuple tuple = waiting.pop();
      if (settled.put(tuple, true) == null) {
        for (int i = 0; i < tuple.size(); i++) {
          if (tuple.get(i) instanceof Rebuild.Storage) {
            tuple.replace(i, ((Rebuild.Storage) tuple.get(i)).tensor());
          } else if (tuple.get(i) instanceof Tuple) {
            waiting.push((Tuple) tuple.get(i));
          }
        }
      }
    }
    return value;
  }

  /**
   * Refuses keys that cannot be keys, and tuples whose hash would take long.
   *
   * @throws UnpicklingException if it is no number, string, …
   */
  static void checkKey(Object key) {
    List<Object> waiting = new ArrayList<>();
    waiting.add(key);
    for (int seen = 1; !waiting.isEmpty(); seen++) {
      Object part = waiting.remove(waiting.size() - 1);
      boolean container =
          part instanceof Collection
              || part instanceof Map
              || part instanceof Rebuild.Global
              || part instanceof Rebuild.Storage;
      if (part instanceof Tuple && seen + ((Tuple) part).size() <= KEYS) {
        waiting.addAll((Tuple) part);
      } else if (container || seen > KEYS) {
        throw new UnpicklingException("an object of type " + kind(part) + " cannot be a key");
      }
    }
  }

  /** The name that Python has for the type of a value. */
  static String kind(Object value) {
    if (value == null) {
      return "NoneType";
    }
    if (value instanceof Tuple) {
      return "tuple";
    }
    if (value instanceof List) {
      return "list";
    }
    if (value instanceof Map) {
      return "dict";
    }
    if (value instanceof Long || value instanceof BigInteger) {
      return "int";
    }
    return value instanceof String ? "str" : value.getClass().getSimpleName();
  }
}
