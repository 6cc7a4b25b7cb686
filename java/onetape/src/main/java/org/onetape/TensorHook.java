package org.onetape;

/** Sees the gradient of a tensor during a backward pass. */
@FunctionalInterface
public interface TensorHook {
  /**
   * Called with the gradient, before it is used, in the thread that runs the pass.
   *
   * @param gradient undefined where the tensor is one of several results of an operator and only
   *     the others have a gradient
   * @return what takes its place, of the same size and type; null to leave it
   */
  Tensor apply(Tensor gradient);
}
