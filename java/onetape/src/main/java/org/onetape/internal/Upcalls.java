package org.onetape.internal;

import org.onetape.Tensor;
import org.onetape.TensorHook;

/** What native code calls in the middle of a backward pass. */
public final class Upcalls {
  private Upcalls() {}

  /** One application of a function that is written in Java. */
  public interface Call {
    /**
     * Runs the backward part.
     *
     * @param gradients handles of the gradients of the results, now the callee's
     * @param saved handles of the tensors that were kept, now the callee's
     * @param needed which of the tensors that went in need a gradient
     * @return handles of the gradients of the tensors that went in, 0 for none
     */
    long[] backward(long[] gradients, long[] saved, boolean[] needed);
  }

  static long[] backward(Object call, long[] gradients, long[] saved, boolean[] needed) {
    return ((Call) call).backward(gradients, saved, needed);
  }

  static long hook(Object hook, long gradient) {
    Tensor replaced = ((TensorHook) hook).apply(Access.tensor(gradient));
    return replaced == null || !replaced.defined() ? 0 : Engine.alias(replaced);
  }
}
