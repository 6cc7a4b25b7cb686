package org.onetape.nn;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.onetape.GraphRecording;
import org.onetape.Tensor;

/** Modules one after the other: each gets what the one before it gave. */
public class SequentialImpl extends Module implements Iterable<Module> {
  /** An empty sequence. */
  public SequentialImpl() {
    this(new Module[0]);
  }

  /** A sequence of the given modules. */
  public SequentialImpl(Module... modules) {
    super("Sequential");
    for (Module module : modules) {
      push_back(module);
    }
  }

  /** A sequence of the given modules, under their names. */
  public SequentialImpl(StringAnyModuleDict modules) {
    super("Sequential");
    modules.map().forEach(this::push_back);
  }

  /** Adds a module at the end; returns this. */
  public SequentialImpl push_back(AnyModule module) {
    return push_back(module.toModule());
  }

  /** Adds a module at the end, under a name; returns this. */
  public SequentialImpl push_back(String name, AnyModule module) {
    return push_back(name, module.toModule());
  }

  /** Adds a module at the end; returns this. */
  public SequentialImpl push_back(Module module) {
    return push_back(Long.toString(size()), module);
  }

  /** Adds a module at the end, under a name; returns this. */
  public SequentialImpl push_back(String name, Module module) {
    register_module(name, module);
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
    List<Module> modules = new ArrayList<>(childMap().values());
    if (i < 0 || i >= modules.size()) {
      throw new IndexOutOfBoundsException("index " + i + " is out of range");
    }
    return modules.get((int) i);
  }

  /** The i-th module. */
  public Module ptr(long i) {
    return get(i);
  }

  @Override
  public Tensor forward(Tensor input) {
    Tensor result = input;
    try (GraphRecording.Call call = entered()) {
      for (Module module : this) {
        try (GraphRecording.Call inner = module.entered()) {
          result = module.call(result);
        }
      }
    }
    return result;
  }

  @Override
  public Iterator<Module> iterator() {
    return childMap().values().iterator();
  }
}
