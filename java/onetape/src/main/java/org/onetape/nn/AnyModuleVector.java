package org.onetape.nn;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.onetape.Value;

/** Modules of any classes in an order. */
public final class AnyModuleVector extends Value implements Iterable<AnyModule> {
  private final List<AnyModule> modules = new ArrayList<>();

  /** The given modules. */
  public AnyModuleVector(AnyModule... modules) {
    this.modules.addAll(List.of(modules));
  }

  /** Adds a module at the end; returns this. */
  public AnyModuleVector push_back(AnyModule module) {
    modules.add(module);
    return this;
  }

  /** The i-th module. */
  public AnyModule get(long i) {
    return modules.get(Math.toIntExact(i));
  }

  /** The number of modules. */
  public long size() {
    return modules.size();
  }

  /** Whether there are no modules. */
  public boolean empty() {
    return modules.isEmpty();
  }

  @Override
  public Iterator<AnyModule> iterator() {
    return modules.iterator();
  }
}
