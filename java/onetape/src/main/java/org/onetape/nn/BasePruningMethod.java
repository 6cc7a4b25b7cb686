package org.onetape.nn;

import java.util.Arrays;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch;

/**
 * A way to choose which elements of a parameter become zero for good: the parameter is computed as
 * {@code name_orig · name_mask} in every call.
 */
public abstract class BasePruningMethod {
  /** Among what a method chooses: all elements, whole channels, or by a mask of all. */
  public enum PruningType {
    UNSTRUCTURED,
    STRUCTURED,
    GLOBAL,
    CONTAINER
  }

  private String tensorName = "";

  /** Among what this method chooses. */
  public abstract PruningType pruning_type();

  /**
   * Zeros for what goes, among the ones of a mask.
   *
   * @param t says how important elements are
   */
  public abstract Tensor compute_mask(Tensor t, Tensor defaultMask);

  /** The parameter that is computed; empty before there is one. */
  final String tensorName() {
    return tensorName;
  }

  final void tensorName(String name) {
    tensorName = name;
  }

  /** What a pruned parameter is computed by. */
  static final class Masked implements ModuleParts.Computed {
    final Module module;
    final BasePruningMethod method;

    Masked(Module module, BasePruningMethod method) {
      this.module = module;
      this.method = method;
    }

    @Override
    public Tensor get(boolean calling) {
      Tensor orig = module.own(method.tensorName + "_orig");
      Tensor mask = module.registered(method.tensorName + "_mask");
      return mask.to(orig.scalar_type()).mul(orig);
    }
  }

  /** How a parameter is pruned; null if it is not. */
  static BasePruningMethod of(Module module, String name) {
    ModuleParts.Computed found = module.computed(name);
    return found instanceof Masked ? ((Masked) found).method : null;
  }

  /** Has the elements of a parameter that this method chooses be zero. */
  public final void apply(Module module, String name) {
    apply(module, name, null);
  }

  /**
   * Has the elements of a parameter that this method chooses be zero, besides those that are.
   *
   * @param importanceScores what the method looks at instead of the parameter; null: that itself
   */
  public final void apply(Module module, String name, Tensor importanceScores) {
    Tensor orig = module.registered(name);
    Tensor scores = importanceScores == null ? orig : importanceScores;
    checkShape(scores, orig, "parameter " + name + " of " + module);
    BasePruningMethod older = of(module, name);
    tensorName = name;
    if (older != null) {
      PruningContainer added = new PruningContainer();
      added.tensorName(name);
      if (older instanceof PruningContainer) {
        ((PruningContainer) older).methods().forEach(added::add_pruning_method);
      } else {
        added.add_pruning_method(older);
      }
      added.add_pruning_method(this);
      Tensor mask = added.compute_mask(scores.detach(), module.registered(name + "_mask").clone());
      module.take(name + "_mask").close();
      module.register_buffer(name + "_mask", mask);
      module.compute(name, new Masked(module, added));
      return;
    }
    if (!module.parameterMap().containsKey(name)) {
      throw new TorchException(module.name() + " has no parameter `" + name + "`");
    }
    Tensor mask = compute_mask(scores.detach(), torch.ones_like(orig.detach()));
    boolean requiresGrad = orig.requires_grad();
    module.register_parameter(name + "_orig", module.take(name), requiresGrad);
    module.register_buffer(name + "_mask", mask);
    module.compute(name, new Masked(module, this));
  }

  private static void checkShape(Tensor scores, Tensor of, String what) {
    if (!Arrays.equals(scores.shape(), of.shape())) {
      throw new IllegalArgumentException(
          "importance_scores should have the same shape as "
              + what
              + ", got "
              + PythonText.size(scores.shape())
              + " vs "
              + PythonText.size(of.shape()));
    }
  }

  /** A tensor with zeros where this method puts them. */
  public final Tensor prune(Tensor t) {
    return t.mul(compute_mask(t, torch.ones_like(t)));
  }

  /** A tensor with zeros where this method puts them, for a mask and other scores. */
  public final Tensor prune(Tensor t, Tensor defaultMask, Tensor importanceScores) {
    checkShape(importanceScores, t, "tensor t");
    return t.mul(compute_mask(importanceScores, defaultMask));
  }
}
