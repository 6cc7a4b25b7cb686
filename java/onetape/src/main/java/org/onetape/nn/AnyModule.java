package org.onetape.nn;

import java.util.Objects;
import org.onetape.Tensor;
import org.onetape.Value;

/**
 * A module of any class, as programs written for JavaCPP hand it on; every module is a {@link
 * Module} as it stands.
 */
public final class AnyModule extends Value {
  private Module module;

  /** No module. */
  public AnyModule() {}

  /** The given module. */
  public AnyModule(Module module) {
    this.module = Objects.requireNonNull(module, "module");
  }

  /** The given module. */
  public static AnyModule from_module(Module module) {
    return new AnyModule(module);
  }

  /** Whether there is no module. */
  public boolean is_empty() {
    return module == null;
  }

  /**
   * The module.
   *
   * @throws IllegalStateException if there is none
   */
  public Module toModule() {
    if (module == null) {
      throw new IllegalStateException("Cannot call toModule() on an empty AnyModule");
    }
    return module;
  }

  /** The module as one of a class. */
  public <M extends Module> M get(Class<M> type) {
    return toModule().as(type);
  }

  /** Computes the module's result for an input. */
  public Tensor forward(Tensor input) {
    return toModule().forward(input);
  }

  /** Computes the module's result for two inputs. */
  public Tensor forward(Tensor first, Tensor second) {
    return toModule().forward(first, second);
  }

  /** Computes the module's result for three inputs. */
  public Tensor forward(Tensor first, Tensor second, Tensor third) {
    return toModule().forward(first, second, third);
  }

  @Override
  public String toString() {
    return module == null ? "AnyModule()" : module.toString();
  }
}
