package org.onetape.global;

import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.TensorVector;
import org.onetape.TorchException;
import org.onetape.internal.Access;
import org.onetape.internal.Engine;

/** Keeping gradients from growing too large. */
abstract class TorchGradients extends TorchLosses {
  /** Scales gradients so that their norm is at most {@code maxNorm}; returns what it was. */
  public static double clip_grad_norm_(TensorVector parameters, double maxNorm) {
    return clip_grad_norm_(parameters, maxNorm, 2, false);
  }

  /** Scales the gradient of a parameter so that its norm is at most {@code maxNorm}. */
  public static double clip_grad_norm_(Tensor parameter, double maxNorm) {
    return clip_grad_norm_(parameter, maxNorm, 2, false);
  }

  /** Scales the gradient of a parameter so that its norm is at most {@code maxNorm}. */
  public static double clip_grad_norm_(
      Tensor parameter, double maxNorm, double normType, boolean errorIfNonfinite) {
    try (TensorVector one = new TensorVector(parameter)) {
      return clip_grad_norm_(one, maxNorm, normType, errorIfNonfinite);
    }
  }

  /**
   * Scales the gradients of parameters so that the norm of all together is at most {@code maxNorm};
   * returns what it was.
   *
   * @param normType the order of the norm
   * @throws TorchException if the norm is not finite and {@code errorIfNonfinite} is set
   */
  public static double clip_grad_norm_(
      TensorVector parameters, double maxNorm, double normType, boolean errorIfNonfinite) {
    try (MemoryScope scope = new MemoryScope()) {
      TensorVector gradients = new TensorVector();
      for (Tensor parameter : parameters) {
        Tensor gradient = parameter.grad();
        if (gradient.defined()) {
          gradients.push_back(gradient);
        }
      }
      Tensor total = get_total_norm(gradients, normType, errorIfNonfinite);
      clip_grads_with_norm_(parameters, maxNorm, total);
      return total.item_double();
    }
  }

  /** The Euclidean norm of all tensors together, as if they were one vector. */
  public static Tensor get_total_norm(TensorVector tensors) {
    return get_total_norm(tensors, 2, false);
  }

  /**
   * The norm of all tensors together, as if they were one vector.
   *
   * @param normType the order of the norm
   * @throws TorchException if the norm is not finite and {@code errorIfNonfinite} is set
   */
  public static Tensor get_total_norm(
      TensorVector tensors, double normType, boolean errorIfNonfinite) {
    Tensor total = Access.tensor(Engine.totalNorm(Access.tensors(tensors), normType));
    if (errorIfNonfinite && !Double.isFinite(total.item_double())) {
      throw new TorchException(
          "The total norm of order "
              + normType
              + " for gradients from `parameters` is non-finite, so it cannot be clipped. To"
              + " disable this error and scale the gradients by the non-finite norm anyway, set"
              + " `error_if_nonfinite=False`");
    }
    return total;
  }

  /** Scales gradients, whose norm is given, so that it is at most {@code maxNorm}. */
  public static void clip_grads_with_norm_(
      TensorVector parameters, double maxNorm, Tensor totalNorm) {
    Engine.clipNorm(Access.tensors(parameters), maxNorm, totalNorm);
  }

  /** Brings every element of a parameter's gradient to within ± {@code bound}. */
  public static void clip_grad_value_(Tensor parameter, double bound) {
    try (TensorVector one = new TensorVector(parameter)) {
      clip_grad_value_(one, bound);
    }
  }

  /** Brings every element of the gradients of parameters to within ± {@code bound}. */
  public static void clip_grad_value_(TensorVector parameters, double bound) {
    Engine.clipValue(Access.tensors(parameters), bound);
  }

  /** The elements of all parameters, one after the other, in one vector of the graph. */
  public static Tensor parameters_to_vector(TensorVector parameters) {
    Tensor[] flat = Access.tensors(parameters);
    for (int i = 0; i < flat.length; i++) {
      flat[i] = flat[i].view(-1);
    }
    return cat(flat, 0);
  }

  /**
   * Has the parameters show the elements of a vector in turn, which {@link #parameters_to_vector}
   * would make.
   *
   * @throws TorchException if the vector has too few elements
   */
  public static void vector_to_parameters(Tensor vector, TensorVector parameters) {
    long at = 0;
    for (Tensor parameter : Access.tensors(parameters)) {
      long count = parameter.numel();
      parameter.set_data(vector.narrow(0, at, count).view_as(parameter).data());
      at += count;
    }
  }
}
