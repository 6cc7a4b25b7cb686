package org.onetape.nn;

import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.TensorOptions;
import org.onetape.global.torch;

/**
 * What is shared by parameters that are computed as lengths and directions, or divided by a norm.
 */
final class Reparametrization {
  private Reparametrization() {}

  /**
   * The norm of each slice along dim, with sizes of 1 for the others; of all of it if dim is -1.
   */
  static Tensor normExcept(Tensor weight, long dim) {
    if (dim == -1) {
      return weight.norm();
    }
    long[] others = others(weight, dim);
    return others.length == 0 ? weight.abs() : weight.norm(2L, others, true);
  }

  /** All dimensions but one. */
  static long[] others(Tensor tensor, long dim) {
    long dims = tensor.dim();
    return java.util.stream.LongStream.range(0, dims).filter(d -> d != dim).toArray();
  }

  /** The direction times the length, divided by its norm. */
  static Tensor scaled(Tensor direction, Tensor length, long dim) {
    return direction.mul(length.div(normExcept(direction, dim)));
  }

  /** The slices along dim as rows. */
  static Tensor asMatrix(Tensor weight, long dim) {
    long[] order = new long[(int) weight.dim()];
    order[0] = dim;
    long[] others = others(weight, dim);
    System.arraycopy(others, 0, order, 1, others.length);
    return weight.permute(order).reshape(weight.size(dim), -1);
  }

  /** The dimension of a module's weight that its results have. */
  static long outputDim(Module module) {
    return module instanceof ConvTransposeBase ? 1 : 0;
  }

  /** A vector of length 1 in a random direction. */
  static Tensor drawnDirection(Tensor like, long size, double eps) {
    TensorOptions options = new TensorOptions().dtype(like.scalar_type());
    Tensor vector = torch.randn(new long[] {size}, options);
    return vector.div(vector.norm().clamp_min(eps));
  }

  static Tensor normalized(Tensor vector, double eps) {
    return torch.normalize(vector, 2, 0, eps);
  }

  /**
   * Brings two vectors nearer to the first singular ones of a matrix: the right one first, or the
   * left.
   */
  static void iterate(
      Tensor matrix, Tensor u, Tensor v, long times, double eps, boolean rightFirst) {
    try (NoGradGuard guard = new NoGradGuard()) {
      for (long i = 0; i < times; i++) {
        if (rightFirst) {
          v.copy_(normalized(matrix.t().mv(u), eps));
        }
        u.copy_(normalized(matrix.mv(v), eps));
        if (!rightFirst) {
          v.copy_(normalized(matrix.t().mv(u), eps));
        }
      }
    }
  }

  /** The parameter of a name, taken away from its module. */
  static Tensor takeParameter(Module module, String name, String kind) {
    Tensor weight = module.parameterMap().get(name);
    if (weight == null || !weight.defined()) {
      throw new IllegalArgumentException(
          "`" + kind + "` cannot be applied as parameter `" + name + "` is None");
    }
    if (module.shapeless().contains(name)) {
      throw new IllegalArgumentException(
          "The module passed to `"
              + kind
              + "` can't have uninitialized parameters. Make sure to run"
              + " the dummy forward before applying "
              + (kind.equals("WeightNorm") ? "weight" : "spectral")
              + " normalization");
    }
    return module.take(name);
  }
}
