package org.onetape.internal;

import org.onetape.Tensor;

/**
 * Passes tensors to another language in the same process, and takes them from it.
 *
 * <p>They lie in a place of the calling thread: one side puts them there and makes a call, the
 * other takes them. So no native address is ever a number in a program.
 */
public final class Handover {
  private Handover() {}

  static {
    Engine.load();
  }

  /** Leaves tensors, which may be null or undefined, for the other side. */
  public static native void put(Object... tensors);

  private static native long[] takeHandles();

  /** Takes what the other side has left in this thread. */
  public static Tensor[] take() {
    return Access.tensors(takeHandles());
  }
}
