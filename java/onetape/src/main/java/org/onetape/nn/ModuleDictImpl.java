package org.onetape.nn;

import java.util.Map;
import org.onetape.BytePointer;
import org.onetape.StringVector;

/** Modules under names, whose parameters are those of the dictionary. */
public class ModuleDictImpl extends Module {
  /** An empty dictionary. */
  public ModuleDictImpl() {
    super("ModuleDict");
  }

  /** A dictionary of the given modules. */
  public ModuleDictImpl(Map<String, ? extends Module> modules) {
    this();
    modules.forEach(this::insert);
  }

  /** Adds a module under a name; returns this. */
  public ModuleDictImpl insert(String name, Module module) {
    register_module(name, module);
    return this;
  }

  /** Adds a module under a name; returns this. */
  public ModuleDictImpl insert(BytePointer name, Module module) {
    return insert(name.getString(), module);
  }

  /** The module under a name. */
  public Module get(String name) {
    return named_children().get(name);
  }

  /** The module under a name. */
  public Module get(BytePointer name) {
    return get(name.getString());
  }

  /** Whether there is a module under a name. */
  public boolean contains(String name) {
    return childMap().containsKey(name);
  }

  /** The names. */
  public StringVector keys() {
    return named_children().keys();
  }

  /** The modules. */
  public SharedModuleVector values() {
    return children();
  }

  /** The modules with their names. */
  public StringSharedModuleDict items() {
    return named_children();
  }

  /** The number of modules. */
  public long size() {
    return childMap().size();
  }

  /** Whether there are no modules. */
  public boolean empty() {
    return size() == 0;
  }
}
