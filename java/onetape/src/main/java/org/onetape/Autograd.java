package org.onetape;

import org.onetape.internal.Access;
import org.onetape.internal.Engine;

/** Differentiation of several tensors at once, and a check of gradients. */
public final class Autograd {
  private Autograd() {}

  /**
   * Adds the gradients of several tensors with respect to their leaves to the leaves' {@code grad}.
   *
   * @param tensors what is differentiated
   * @param gradients of what follows with respect to each, null for 1; may be null as a whole
   */
  public static void backward(Tensor[] tensors, Tensor[] gradients) {
    backward(tensors, gradients, false, false);
  }

  /**
   * The same.
   *
   * @param retainGraph whether the record may be gone through again
   * @param createGraph whether the backward pass is recorded, too
   */
  public static void backward(
      Tensor[] tensors, Tensor[] gradients, boolean retainGraph, boolean createGraph) {
    Engine.backwardAll(tensors, gradients, retainGraph || createGraph, createGraph, null);
  }

  /** The gradients of a number with respect to tensors, whose {@code grad} stays as it is. */
  public static Tensor[] grad(Tensor output, Tensor... inputs) {
    return grad(new Tensor[] {output}, inputs, null, false, false, false);
  }

  /**
   * The gradients of tensors with respect to others, whose {@code grad} stays as it is.
   *
   * @param outputs what is differentiated
   * @param inputs with respect to what
   * @param gradOutputs of what follows with respect to each output, null for 1; may be null
   * @param retainGraph whether the record may be gone through again
   * @param createGraph whether the backward pass is recorded, too, so that the result can be
   *     differentiated
   * @param allowUnused whether an input that was not used gives an undefined tensor, not an error
   */
  public static Tensor[] grad(
      Tensor[] outputs,
      Tensor[] inputs,
      Tensor[] gradOutputs,
      boolean retainGraph,
      boolean createGraph,
      boolean allowUnused) {
    return Access.tensors(
        Engine.gradients(
            outputs, inputs, gradOutputs, retainGraph || createGraph, createGraph, allowUnused));
  }

  /** A function of tensors for {@link #gradcheck}. */
  @FunctionalInterface
  public interface TensorFunction {
    /** The result for the given inputs. */
    Tensor apply(Tensor... inputs);
  }

  /**
   * Compares the gradients of a function with finite differences.
   *
   * @param function what is checked; it is called many times
   * @param inputs where it is checked: doubles that require a gradient
   * @return true
   * @throws TorchException if a gradient differs, with both Jacobians
   */
  public static boolean gradcheck(TensorFunction function, Tensor... inputs) {
    return gradcheck(function, inputs, 1e-6, 1e-5, 1e-3);
  }

  /**
   * The same.
   *
   * @param eps the step of the differences
   * @param atol how far apart the two may be
   * @param rtol how far apart in relation to the finite difference
   */
  public static boolean gradcheck(
      TensorFunction function, Tensor[] inputs, double eps, double atol, double rtol) {
    return new GradCheck(function, inputs, eps, atol, rtol).run();
  }

  /** The same for the gradients of the gradients. */
  public static boolean gradgradcheck(TensorFunction function, Tensor... inputs) {
    return GradCheck.second(function, inputs, 1e-6, 1e-5, 1e-3);
  }
}
