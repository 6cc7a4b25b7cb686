package org.onetape.io;

import java.util.LinkedHashMap;
import java.util.Map;

/** Python's {@code OrderedDict}, such as the state of a module: a map that can have attributes. */
public final class OrderedDict extends LinkedHashMap<Object, Object> {
  private static final long serialVersionUID = 1L;

  private final transient Map<Object, Object> attributes = new LinkedHashMap<>();

  /** An empty dict. */
  public OrderedDict() {}

  /** A dict with the entries of a map. */
  public OrderedDict(Map<?, ?> entries) {
    super(entries);
  }

  /** The attributes, such as {@code _metadata}. */
  public Map<Object, Object> attributes() {
    return attributes;
  }
}
