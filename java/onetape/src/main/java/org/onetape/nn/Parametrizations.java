package org.onetape.nn;

import java.util.Arrays;
import java.util.List;
import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.TensorOptions;
import org.onetape.TensorVector;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;

/** The parametrizations that are ready to use; see {@link Parametrize}. */
public final class Parametrizations {
  private static final List<String> MAPS = List.of("matrix_exp", "cayley", "householder");

  private Parametrizations() {}

  private static final class WeightNormed extends Module implements RightInverse {
    private final long dim;

    WeightNormed(long dim) {
      super("_WeightNorm");
      this.dim = dim;
    }

    @Override
    public Tensor forward(Tensor length, Tensor direction) {
      return Reparametrization.scaled(direction, length, dim);
    }

    @Override
    public Tensor[] right_inverse(Tensor weight) {
      return new Tensor[] {Reparametrization.normExcept(weight, dim), weight};
    }
  }

  /** Has the weight computed as lengths and directions; returns the module. */
  public static <M extends Module> M weight_norm(M module) {
    return weight_norm(module, "weight", 0);
  }

  /**
   * Has a parameter computed as {@code original0 · original1 / |original1|}; returns the module.
   *
   * @param dim what has lengths of its own; -1: there is one length
   */
  public static <M extends Module> M weight_norm(M module, String name, long dim) {
    return Parametrize.register_parametrization(module, name, new WeightNormed(dim), true);
  }

  private static final class SpectralNormed extends Module implements RightInverse {
    private final long iterations;
    private final long dim;
    private final double eps;

    SpectralNormed(Tensor weight, long iterations, long dim, double eps) {
      super("_SpectralNorm");
      long dims = weight.dim();
      if (dim < -dims || dim >= dims) {
        throw new IndexOutOfBoundsException(
            String.format(
                "Dimension out of range (expected to be in range of [-%d, %d] but got %d)",
                dims, dims - 1, dim));
      }
      if (iterations <= 0) {
        throw new IllegalArgumentException(
            "Expected n_power_iterations to be positive, but got n_power_iterations=" + iterations);
      }
      this.iterations = iterations;
      this.dim = dim < 0 ? dim + dims : dim;
      this.eps = eps;
      if (dims > 1) {
        Tensor matrix = Reparametrization.asMatrix(weight.detach(), this.dim);
        register_buffer("_u", Reparametrization.drawnDirection(weight, matrix.size(0), eps));
        register_buffer("_v", Reparametrization.drawnDirection(weight, matrix.size(1), eps));
        iterate(matrix, 15);
      }
    }

    private void iterate(Tensor matrix, long times) {
      Reparametrization.iterate(matrix, registered("_u"), registered("_v"), times, eps, false);
    }

    @Override
    public Tensor forward(Tensor weight) {
      if (weight.dim() == 1) {
        return Reparametrization.normalized(weight, eps);
      }
      Tensor matrix = Reparametrization.asMatrix(weight, dim);
      if (is_training()) {
        iterate(matrix, iterations);
      }
      // Copies, since a second call before backward changes the buffers.
      Tensor right = matrix.mv(registered("_v").clone());
      return weight.div(torch.dot(registered("_u").clone(), right));
    }

    @Override
    public Tensor[] right_inverse(Tensor value) {
      return new Tensor[] {value};
    }
  }

  /** Has the weight divided by its largest singular value; returns the module. */
  public static <M extends Module> M spectral_norm(M module) {
    return spectral_norm(module, "weight", 1, 1e-12, Reparametrization.outputDim(module));
  }

  /**
   * Has a parameter divided by its largest singular value; returns the module.
   *
   * @param nPowerIterations how many iterations it begins with while training
   * @param dim what the rows of the matrix are
   * @throws IllegalArgumentException for a tensor that there is not
   */
  public static <M extends Module> M spectral_norm(
      M module, String name, long nPowerIterations, double eps, long dim) {
    Tensor weight = found(module, name);
    SpectralNormed made = new SpectralNormed(weight, nPowerIterations, dim, eps);
    return Parametrize.register_parametrization(module, name, made);
  }

  private static final class Orthogonal extends Module implements RightInverse {
    private final long[] shape;
    private final String map;
    private final boolean trivialized;

    Orthogonal(Tensor weight, String map, boolean trivialized) {
      super("_Orthogonal");
      if (weight.is_complex() && map.equals("householder")) {
        throw new IllegalArgumentException(
            "The householder parametrization does not support complex tensors.");
      }
      this.shape = weight.shape();
      this.map = map;
      this.trivialized = trivialized;
    }

    @Override
    public Tensor forward(Tensor x) {
      boolean wide = x.size(-2) < x.size(-1);
      Tensor tall = wide ? x.mT() : x;
      Tensor result;
      if (map.equals("householder")) {
        Tensor below = tall.tril(-1);
        Tensor tau = below.mul(below).sum(-2).add(1.0).reciprocal().mul(2.0);
        // The diagonal is ±1, which is no part of what is trained.
        Tensor signs = tall.diagonal(0, -2, -1).to(ScalarType.Int).unsqueeze(-2);
        result = OrthogonalMaps.householderProduct(below, tau).mul(signs);
      } else {
        result = rotated(tall);
      }
      if (trivialized) {
        result = registered("base").matmul(result);
      }
      return wide ? result.mT() : result;
    }

    /** The first columns of what the map makes of a skew-symmetric matrix. */
    private Tensor rotated(Tensor tall) {
      long rows = tall.size(-2);
      long columns = tall.size(-1);
      Tensor lower = tall.tril();
      if (rows != columns) {
        long[] more = lower.shape();
        more[more.length - 1] = rows - columns;
        lower = torch.cat(new TensorVector(lower, lower.new_zeros(more)), -1);
      }
      Tensor skew = lower.sub(lower.mH());
      Tensor whole =
          map.equals("cayley") ? OrthogonalMaps.cayley(skew) : OrthogonalMaps.matrixExp(skew);
      return whole.narrow(-1, 0, columns);
    }

    @Override
    public Tensor[] right_inverse(Tensor q) {
      if (!Arrays.equals(q.shape(), shape)) {
        throw new IllegalArgumentException(
            "Expected a matrix or batch of matrices of shape torch.Size("
                + Arrays.toString(shape)
                + "). Got a tensor of shape torch.Size("
                + Arrays.toString(q.shape())
                + ").");
      }
      if (!trivialized && !map.equals("householder")) {
        throw new UnsupportedOperationException(
            "It is not possible to assign to the matrix exponential or the Cayley parametrizations"
                + " when use_trivialization=False.");
      }
      try (NoGradGuard guard = new NoGradGuard()) {
        boolean wide = q.size(-2) < q.size(-1);
        Tensor tall = wide ? q.mT() : q;
        if (!trivialized) {
          Tensor made = OrthogonalMaps.reflectorsOf(tall);
          return new Tensor[] {wide ? made.mT() : made};
        }
        keepBase(tall);
        // Of no rotation the base is left; the diagonal is what the reflections need.
        Tensor negative = torch.zeros_like(q);
        negative.diagonal(0, -2, -1).fill_(-1.0);
        return new Tensor[] {negative};
      }
    }

    private void keepBase(Tensor tall) {
      long rows = tall.size(-2);
      long columns = tall.size(-1);
      Tensor base;
      if (rows != columns) {
        long[] sizes = tall.shape();
        sizes[sizes.length - 1] = rows - columns;
        Tensor more = torch.randn(sizes, new TensorOptions().dtype(tall.scalar_type()));
        base =
            OrthogonalMaps.orthonormalColumns(torch.cat(new TensorVector(tall.detach(), more), -1));
      } else if (OrthogonalMaps.isOrthogonal(tall)) {
        base = tall.detach().clone();
      } else {
        base = OrthogonalMaps.orthonormalColumns(tall.detach());
      }
      Tensor before = take("base");
      if (before != null) {
        before.close();
      }
      register_buffer("base", base);
    }
  }

  /**
   * Has the weight be a matrix with orthonormal columns, or rows if it is wide; returns the module.
   */
  public static <M extends Module> M orthogonal(M module) {
    return orthogonal(module, "weight", null, true);
  }

  /**
   * Has a matrix, or each of a stack, be one with orthonormal columns, or rows if it is wide;
   * returns the module.
   *
   * @param orthogonalMap "matrix_exp" or "cayley", the matrix exponential or the Cayley map of a
   *     skew-symmetric matrix, or "householder", a product of reflections; null: matrix_exp for
   *     square and complex matrices, else householder
   * @param useTrivialization keeps an orthogonal matrix, the buffer base, that the result is a
   *     rotation of
   * @throws IllegalArgumentException for a tensor that there is not, that is no matrix, or another
   *     map
   */
  public static <M extends Module> M orthogonal(
      M module, String name, String orthogonalMap, boolean useTrivialization) {
    Tensor weight = found(module, name);
    if (weight.dim() < 2) {
      throw new IllegalArgumentException(
          "Expected a matrix or batch of matrices. Got a tensor of "
              + weight.dim()
              + " dimensions.");
    }
    String map = orthogonalMap;
    if (map == null) {
      boolean square = weight.size(-2) == weight.size(-1);
      map = square || weight.is_complex() ? "matrix_exp" : "householder";
    }
    if (!MAPS.contains(map)) {
      throw new IllegalArgumentException(
          "orthogonal_map has to be one of \"matrix_exp\", \"cayley\", \"householder\". Got: "
              + map);
    }
    Orthogonal made = new Orthogonal(weight, map, useTrivialization);
    return Parametrize.register_parametrization(module, name, made, true);
  }

  /** The tensor of a name. */
  static Tensor found(Module module, String name) {
    boolean there =
        module.parameterMap().containsKey(name)
            || module.bufferMap().containsKey(name)
            || module.computed(name) != null;
    if (!there) {
      throw new IllegalArgumentException(
          "Module '" + module + "' has no parameter or buffer with name '" + name + "'");
    }
    return module.registered(name);
  }
}
