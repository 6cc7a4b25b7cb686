package org.onetape.nn;

import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.TorchException;

/**
 * Weights, {@code name_orig}, divided by their largest singular value, whose vectors are {@code
 * name_u} and {@code name_v}: the older form. The weight is computed in every call, which while
 * training brings the vectors nearer to the singular ones first.
 */
public final class SpectralNorm {
  private SpectralNorm() {}

  /** Has the weight divided by its largest singular value; returns the module. */
  public static <M extends Module> M spectral_norm(M module) {
    return spectral_norm(module, "weight", 1, 1e-12);
  }

  /** The same for any parameter, with the rows that the module's results have. */
  public static <M extends Module> M spectral_norm(
      M module, String name, long nPowerIterations, double eps) {
    return spectral_norm(module, name, nPowerIterations, eps, Reparametrization.outputDim(module));
  }

  /**
   * Has a parameter divided by its largest singular value; returns the module.
   *
   * @param nPowerIterations how many iterations a call begins with while training
   * @param dim what the rows of the matrix are
   * @throws TorchException for a parameter that has it already
   */
  public static <M extends Module> M spectral_norm(
      M module, String name, long nPowerIterations, double eps, long dim) {
    if (module.computed(name) instanceof Divided) {
      throw new TorchException(
          "Cannot register two spectral_norm hooks on the same parameter " + name);
    }
    Divided norm = new Divided(module, name, nPowerIterations, eps, dim);
    Tensor weight = Reparametrization.takeParameter(module, name, "SpectralNorm");
    try (NoGradGuard guard = new NoGradGuard()) {
      Tensor matrix = Reparametrization.asMatrix(weight, dim);
      Tensor u = Reparametrization.drawnDirection(weight, matrix.size(0), eps);
      Tensor v = Reparametrization.drawnDirection(weight, matrix.size(1), eps);
      module.register_parameter(name + "_orig", weight, weight.requires_grad());
      module.register_buffer(name + "_u", u);
      module.register_buffer(name + "_v", v);
    }
    module.compute(name, norm);
    return module;
  }

  /** Takes {@link #spectral_norm} of the weight away; returns the module. */
  public static <M extends Module> M remove_spectral_norm(M module) {
    return remove_spectral_norm(module, "weight");
  }

  /**
   * Takes {@link #spectral_norm} away: what it computes becomes a parameter; returns the module.
   *
   * @throws IllegalArgumentException where there is none
   */
  public static <M extends Module> M remove_spectral_norm(M module, String name) {
    ModuleParts.Computed found = module.computed(name);
    if (!(found instanceof Divided)) {
      throw new IllegalArgumentException("spectral_norm of '" + name + "' not found in " + module);
    }
    Tensor weight = found.get(false).detach();
    module.compute(name, null);
    for (String suffix : new String[] {"_u", "_v", "_orig"}) {
      module.take(name + suffix).close();
    }
    module.register_parameter(name, weight);
    return module;
  }

  private static final class Divided implements ModuleParts.Computed {
    private final Module module;
    private final String name;
    private final long iterations;
    private final double eps;
    private final long dim;

    Divided(Module module, String name, long iterations, double eps, long dim) {
      if (iterations <= 0) {
        throw new IllegalArgumentException(
            "Expected n_power_iterations to be positive, but got n_power_iterations=" + iterations);
      }
      this.module = module;
      this.name = name;
      this.iterations = iterations;
      this.eps = eps;
      this.dim = dim;
    }

    @Override
    public Tensor get(boolean calling) {
      Tensor weight = module.own(name + "_orig");
      Tensor u = module.registered(name + "_u");
      Tensor v = module.registered(name + "_v");
      Tensor matrix = Reparametrization.asMatrix(weight, dim);
      if (calling && module.is_training()) {
        Reparametrization.iterate(matrix, u, v, iterations, eps, true);
      }
      // Copies, since a second call before backward changes the buffers.
      return weight.div(u.clone().dot(matrix.mv(v.clone())));
    }
  }
}
