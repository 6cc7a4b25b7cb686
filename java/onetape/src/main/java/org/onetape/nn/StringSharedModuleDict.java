package org.onetape.nn;

import java.util.Map;
import org.onetape.ObjectDict;

/** Modules under names; the order is that of insertion. */
public final class StringSharedModuleDict extends ObjectDict<Module> {
  /** No modules. */
  public StringSharedModuleDict() {}

  StringSharedModuleDict(Map<String, Module> modules) {
    entries().putAll(modules);
  }

  /** The i-th name with its module. */
  public StringSharedModuleDictItem get(long i) {
    String name = nameAt(i);
    return new StringSharedModuleDictItem(name, get(name));
  }

  /** The modules. */
  public SharedModuleVector values() {
    return new SharedModuleVector(entries().values());
  }
}
