package org.onetape;

import org.onetape.internal.Engine;

/** Takes a hook away from the tensor on which it was registered. */
public final class HookHandle implements AutoCloseable {
  private final Tensor tensor;
  private final long id;

  HookHandle(Tensor tensor, long id) {
    this.tensor = tensor;
    this.id = id;
  }

  /** Takes the hook away; doing so again has no effect. */
  public void remove() {
    if (tensor.defined()) {
      Engine.removeHook(tensor, id);
    }
  }

  /** Takes the hook away. */
  @Override
  public void close() {
    remove();
  }
}
