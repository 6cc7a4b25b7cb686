package org.onetape;

/** A hook on a tensor as a class to extend: sees the gradient, and may give another. */
public abstract class TensorTensorHook extends FunctionHook {
  /** For subclasses. */
  protected TensorTensorHook() {}

  /**
   * Called with the gradient in every backward pass.
   *
   * @return what takes its place, or null or an undefined tensor to leave it
   */
  public abstract Tensor call(Tensor gradient);

  @Override
  TensorHook asHook() {
    return this::call;
  }
}
