package org.onetape.global;

import org.onetape.MemoryScope;
import org.onetape.NoGradGuard;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.TensorVector;
import org.onetape.TorchException;

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
    try (MemoryScope scope = new MemoryScope();
        NoGradGuard guard = new NoGradGuard()) {
      TensorVector norms = new TensorVector();
      for (Tensor parameter : parameters) {
        Tensor gradient = parameter.grad();
        if (gradient.defined()) {
          norms.push_back(gradient.norm(new Scalar(normType)));
        }
      }
      if (norms.empty()) {
        return 0;
      }
      Tensor total = torch.stack(norms).norm(new Scalar(normType));
      double norm = total.item_double();
      if (errorIfNonfinite && !Double.isFinite(norm)) {
        throw new TorchException(
            "The total norm of order "
                + normType
                + " for gradients from `parameters` is non-finite, so it cannot be clipped. To"
                + " disable this error and scale the gradients by the non-finite norm anyway, set"
                + " `error_if_nonfinite=False`");
      }
      Tensor scale = total.add(new Scalar(1e-6)).reciprocal().mul(new Scalar(maxNorm));
      scale = scale.clamp_max(new Scalar(1.0));
      for (Tensor parameter : parameters) {
        Tensor gradient = parameter.grad();
        if (gradient.defined()) {
          gradient.mul_(scale);
        }
      }
      return norm;
    }
  }

  /** Brings every element of a parameter's gradient to within ± {@code bound}. */
  public static void clip_grad_value_(Tensor parameter, double bound) {
    try (TensorVector one = new TensorVector(parameter)) {
      clip_grad_value_(one, bound);
    }
  }

  /** Brings every element of the gradients of parameters to within ± {@code bound}. */
  public static void clip_grad_value_(TensorVector parameters, double bound) {
    try (MemoryScope scope = new MemoryScope();
        NoGradGuard guard = new NoGradGuard()) {
      for (Tensor parameter : parameters) {
        Tensor gradient = parameter.grad();
        if (gradient.defined()) {
          gradient.clamp_(new Scalar(-bound), new Scalar(bound));
        }
      }
    }
  }
}
