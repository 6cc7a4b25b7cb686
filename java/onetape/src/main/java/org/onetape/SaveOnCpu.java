package org.onetape;

import org.onetape.internal.Access;

/**
 * Until it is closed, copies in CPU memory are kept for backward. All tensors of this library live
 * there, so it only copies.
 */
public final class SaveOnCpu extends SavedTensorsHooks {
  /** Starts to copy. */
  public SaveOnCpu() {
    super(tensor -> Access.unscoped(tensor.detach().clone()), packed -> (Tensor) packed);
  }
}
