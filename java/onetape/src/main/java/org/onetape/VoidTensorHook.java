package org.onetape;

/** A hook on a tensor as a class to extend: only sees the gradient. */
public abstract class VoidTensorHook extends FunctionHook {
  /** For subclasses. */
  protected VoidTensorHook() {}

  /** Called with the gradient in every backward pass. */
  public abstract void call(Tensor gradient);

  @Override
  TensorHook asHook() {
    return gradient -> {
      call(gradient);
      return null;
    };
  }
}
