package org.onetape;

/** Sees the gradient of a tensor during a backward pass. */
@FunctionalInterface
public interface TensorHook {
  /**
   * Called with the gradient.
   *
   * @return what takes its place, or null to leave it
   */
  Tensor apply(Tensor gradient);
}
