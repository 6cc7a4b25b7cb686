package org.onetape.nn;

import java.util.LinkedHashMap;
import java.util.Map;
import org.onetape.TorchException;
import org.onetape.Value;

/** Modules of any classes under names, as {@link SequentialImpl} takes them. */
public final class StringAnyModuleDict extends Value {
  private final Map<String, AnyModule> modules = new LinkedHashMap<>();

  /** An empty dictionary. */
  public StringAnyModuleDict() {}

  /** Adds a module under a name that is not taken; returns it. */
  public AnyModule insert(String name, AnyModule module) {
    if (modules.putIfAbsent(name, module) != null) {
      throw new TorchException("Key '" + name + "' already defined");
    }
    return module;
  }

  /** The module under a name. */
  public AnyModule get(String name) {
    AnyModule found = modules.get(name);
    if (found == null) {
      throw new TorchException("Key '" + name + "' is not defined");
    }
    return found;
  }

  /** Whether there is a module under a name. */
  public boolean contains(String name) {
    return modules.containsKey(name);
  }

  /** The number of modules. */
  public long size() {
    return modules.size();
  }

  /** Whether there are no modules. */
  public boolean is_empty() {
    return modules.isEmpty();
  }

  Map<String, AnyModule> map() {
    return modules;
  }
}
