package org.onetape.nn;

import java.util.Collection;
import org.onetape.ObjectVector;

/** Modules in order. */
public final class SharedModuleVector extends ObjectVector<Module, SharedModuleVector> {
  /** An empty list. */
  public SharedModuleVector() {}

  /** The given modules. */
  public SharedModuleVector(Module... modules) {
    for (Module module : modules) {
      push_back(module);
    }
  }

  SharedModuleVector(Collection<Module> modules) {
    modules.forEach(this::push_back);
  }

  /** The place of the first module. */
  public Iterator begin() {
    return new Iterator(this, 0);
  }

  /** The place after the last module. */
  public Iterator end() {
    return new Iterator(this, size());
  }

  /** A place in the list. */
  public static final class Iterator extends Place<Module> {
    Iterator(SharedModuleVector list, long index) {
      super(list, index);
    }

    @Override
    public Iterator increment() {
      super.increment();
      return this;
    }

    /** Whether both are the same place. */
    public boolean equals(Iterator other) {
      return super.equals(other);
    }
  }
}
