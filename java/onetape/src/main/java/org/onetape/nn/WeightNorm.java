package org.onetape.nn;

import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.TorchException;

/**
 * Weights as lengths, {@code name_g}, and directions, {@code name_v}: the older form of {@link
 * Parametrizations#weight_norm}. The weight is computed in every call.
 */
public final class WeightNorm {
  private WeightNorm() {}

  /** Has the weight computed, with a length for each of its results; returns the module. */
  public static <M extends Module> M weight_norm(M module) {
    return weight_norm(module, "weight", 0);
  }

  /**
   * Has a parameter computed as {@code name_g · name_v / |name_v|}; returns the module.
   *
   * @param dim what has lengths of its own; -1: there is one length
   * @throws TorchException for a parameter that has it already
   */
  public static <M extends Module> M weight_norm(M module, String name, long dim) {
    if (module.computed(name) instanceof Scaled) {
      throw new TorchException(
          "Cannot register two weight_norm hooks on the same parameter " + name);
    }
    Tensor weight = Reparametrization.takeParameter(module, name, "WeightNorm");
    try (NoGradGuard guard = new NoGradGuard()) {
      module.register_parameter(name + "_g", Reparametrization.normExcept(weight, dim));
    }
    module.register_parameter(name + "_v", weight);
    module.compute(name, new Scaled(module, name, dim));
    return module;
  }

  /** Takes {@link #weight_norm} of the weight away; returns the module. */
  public static <M extends Module> M remove_weight_norm(M module) {
    return remove_weight_norm(module, "weight");
  }

  /**
   * Takes {@link #weight_norm} away: what it computes becomes a parameter; returns the module.
   *
   * @throws IllegalArgumentException where there is none
   */
  public static <M extends Module> M remove_weight_norm(M module, String name) {
    if (!(module.computed(name) instanceof Scaled)) {
      throw new IllegalArgumentException("weight_norm of '" + name + "' not found in " + module);
    }
    Tensor weight = module.registered(name).detach();
    module.compute(name, null);
    module.take(name + "_g").close();
    module.take(name + "_v").close();
    module.register_parameter(name, weight);
    return module;
  }

  private static final class Scaled implements ModuleParts.Computed {
    private final Module module;
    private final String name;
    private final long dim;

    Scaled(Module module, String name, long dim) {
      this.module = module;
      this.name = name;
      this.dim = dim;
    }

    @Override
    public Tensor get(boolean calling) {
      return Reparametrization.scaled(module.own(name + "_v"), module.own(name + "_g"), dim);
    }
  }
}
