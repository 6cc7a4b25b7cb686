package org.onetape.nn;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Modules in a list, whose parameters are those of the list. */
public class ModuleListImpl extends Module implements Iterable<Module> {
  /** An empty list. */
  public ModuleListImpl() {
    this(new Module[0]);
  }

  /** A list of the given modules. */
  public ModuleListImpl(Module... modules) {
    super("ModuleList");
    for (Module module : modules) {
      push_back(module);
    }
  }

  private List<Module> list() {
    return new ArrayList<>(childMap().values());
  }

  /** Adds a module at the end; returns this. */
  public ModuleListImpl push_back(Module module) {
    register_module(Long.toString(size()), module);
    return this;
  }

  /** Adds a module before the i-th one; returns this. */
  public ModuleListImpl insert(long i, Module module) {
    List<Module> modules = list();
    if (i < 0 || i > modules.size()) {
      throw new IndexOutOfBoundsException("index " + i + " is out of range");
    }
    modules.add((int) i, module);
    childMap().clear();
    modules.forEach(this::push_back);
    return this;
  }

  /** The number of modules. */
  public long size() {
    return childMap().size();
  }

  /** Whether there are no modules. */
  public boolean is_empty() {
    return size() == 0;
  }

  /** The i-th module. */
  public Module get(long i) {
    if (i < 0 || i >= size()) {
      throw new IndexOutOfBoundsException("index " + i + " is out of range");
    }
    return list().get((int) i);
  }

  /** The i-th module. */
  public Module ptr(long i) {
    return get(i);
  }

  @Override
  public Iterator<Module> iterator() {
    return childMap().values().iterator();
  }
}
