package org.onetape.optim;

import java.util.Map;
import java.util.Set;
import java.util.function.DoubleUnaryOperator;
import org.onetape.internal.Engine;

/** Moves the learning rates up and down between two bounds. */
public final class CyclicLR extends MomentumLR {
  private double[] maxLrs;
  private double totalSize;
  private double stepRatio;
  private String mode;
  private double gamma;
  private final DoubleUnaryOperator custom;
  private String scaleMode;
  private boolean cycleMomentum;
  private double[] baseMomentums;
  private double[] maxMomentums;

  /** With the options that are usual. */
  public CyclicLR(Optimizer optimizer, double baseLr, double maxLr) {
    this(optimizer, baseLr, maxLr, new CyclicLROptions());
  }

  /** The same bounds for all groups. */
  public CyclicLR(Optimizer optimizer, double baseLr, double maxLr, CyclicLROptions options) {
    this(optimizer, new double[] {baseLr}, new double[] {maxLr}, options);
  }

  /** Bounds for each group, or one for all. */
  public CyclicLR(Optimizer optimizer, double[] baseLr, double[] maxLr, CyclicLROptions options) {
    super(prepared(optimizer, baseLr, options.lastEpoch), options.lastEpoch);
    double[] base = forGroups("base_lr", baseLr);
    maxLrs = forGroups("max_lr", maxLr);
    double up = options.stepSizeUp;
    totalSize = up + (options.stepSizeDown == null ? up : options.stepSizeDown);
    stepRatio = up / totalSize;
    require(
        options.scaleFn != null
            || Set.of("triangular", "triangular2", "exp_range").contains(options.mode),
        "mode is invalid and scale_fn is None");
    mode = options.mode;
    gamma = options.gamma;
    custom = options.scaleFn;
    scaleMode = options.scaleMode;
    if (custom == null) {
      scaleMode = mode.equals("exp_range") ? "iterations" : "cycle";
    }
    cycleMomentum = options.cycleMomentum;
    if (cycleMomentum) {
      baseMomentums = forGroups("base_momentum", options.baseMomentum);
      maxMomentums = forGroups("max_momentum", options.maxMomentum);
      beginMomentum(baseMomentums, maxMomentums, options.lastEpoch);
    }
    begin();
    setBaseLrs(base);
  }

  /** Sets the learning rates to the lower bounds before anything is noted. */
  private static Optimizer prepared(Optimizer optimizer, double[] baseLr, int lastEpoch) {
    OptimizerParamGroupVector groups = optimizer.param_groups();
    require(
        baseLr.length == 1 || baseLr.length == groups.size(),
        "base_lr must have the same length as optimizer.param_groups. base_lr has "
            + baseLr.length
            + " values, param_groups has "
            + groups.size()
            + ".");
    for (int i = 0; i < groups.size() && lastEpoch == -1; i++) {
      groups.get(i).options().set_lr(baseLr[baseLr.length == 1 ? 0 : i]);
    }
    return optimizer;
  }

  private double height(double at) {
    if (custom != null) {
      return custom.applyAsDouble(at);
    }
    switch (mode) {
      case "triangular2":
        return 1 / Engine.power(2.0, at - 1);
      case "exp_range":
        return Engine.power(gamma, at);
      default:
        return 1.0;
    }
  }

  @Override
  protected double[] getLr() {
    double cycle = Math.floor(1 + lastEpoch() / totalSize);
    double x = 1.0 + lastEpoch() / totalSize - cycle;
    double share = x <= stepRatio ? x / stepRatio : (x - 1) / (stepRatio - 1);
    double at = scaleMode.equals("cycle") ? cycle : lastEpoch();
    double[] base = baseLrs();
    for (int i = 0; i < groups() && cycleMomentum; i++) {
      double way = (maxMomentums[i] - baseMomentums[i]) * share;
      options(i).setMomentum(maxMomentums[i] - way * height(at));
    }
    return perGroup(i -> base[i] + (maxLrs[i] - base[i]) * share * height(at));
  }

  @Override
  protected void save(Map<String, Object> state) {
    state.put("max_lrs", SavedState.list(maxLrs));
    state.put("total_size", totalSize);
    state.put("step_ratio", stepRatio);
    state.put("mode", mode);
    state.put("gamma", gamma);
    state.put("scale_mode", scaleMode);
    state.put("cycle_momentum", cycleMomentum);
    if (cycleMomentum) {
      state.put("use_beta1", usesBeta1());
      state.put("base_momentums", SavedState.list(baseMomentums));
      state.put("max_momentums", SavedState.list(maxMomentums));
    }
    super.save(state);
    state.put("_scale_fn_custom", null); // functions are not saved
  }

  @Override
  protected void load(Map<String, ?> state) {
    boolean momentum = SavedState.flag(state, "cycle_momentum");
    double[] tops = SavedState.numbers(state, "max_lrs");
    double size = SavedState.number(state, "total_size");
    double ratio = SavedState.number(state, "step_ratio");
    double factor = SavedState.number(state, "gamma");
    double[] bases = momentum ? SavedState.numbers(state, "base_momentums") : baseMomentums;
    double[] most = momentum ? SavedState.numbers(state, "max_momentums") : maxMomentums;
    super.load(state);
    mode = SavedState.text(state, "mode");
    scaleMode = SavedState.text(state, "scale_mode");
    cycleMomentum = momentum;
    maxLrs = tops;
    totalSize = size;
    stepRatio = ratio;
    gamma = factor;
    baseMomentums = bases;
    maxMomentums = most;
  }
}
