package org.onetape.nn;

import org.onetape.Tensor;

/** What is called when a module is; see {@link Module#call}. */
public final class ModuleHook implements AutoCloseable {
  /** Is called before a module computes its result. */
  @FunctionalInterface
  public interface ForwardPre {
    /**
     * Sees the inputs.
     *
     * @return what the module is given instead, or null for the same inputs
     */
    Tensor[] apply(Module module, Tensor[] inputs);
  }

  /** Is called when a module has computed its result. */
  @FunctionalInterface
  public interface Forward {
    /**
     * Sees the inputs and the result.
     *
     * @return what the call gives instead, or null for the same result
     */
    Tensor apply(Module module, Tensor[] inputs, Tensor result);
  }

  /** Is called in backward, before the gradient goes through a module. */
  @FunctionalInterface
  public interface BackwardPre {
    /**
     * Sees the gradient of the result.
     *
     * @return what goes on instead, or null for the same gradient
     */
    Tensor apply(Module module, Tensor gradOutput);
  }

  /** Is called in backward, when the gradient has gone through a module. */
  @FunctionalInterface
  public interface Backward {
    /**
     * Sees the gradients.
     *
     * @param gradInputs the gradients of the inputs: null for inputs without; empty if no input
     *     requires one
     * @return the gradients that go on instead, or null for the same ones
     */
    Tensor[] apply(Module module, Tensor[] gradInputs, Tensor gradOutput);
  }

  private final Runnable removal;

  ModuleHook(Runnable removal) {
    this.removal = removal;
  }

  /** Takes the hook away; doing so again has no effect. */
  public void remove() {
    removal.run();
  }

  /** Takes the hook away. */
  @Override
  public void close() {
    remove();
  }
}
