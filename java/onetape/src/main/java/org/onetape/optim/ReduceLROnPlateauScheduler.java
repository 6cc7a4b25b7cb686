package org.onetape.optim;

import java.util.LinkedHashMap;
import java.util.Map;
import org.onetape.FloatVector;

/** Lowers the learning rates when a measured value has not become better for some epochs. */
public class ReduceLROnPlateauScheduler {
  /** Which values are better. */
  public enum SchedulerMode {
    /** Less is better. */
    min,
    /** More is better. */
    max
  }

  /** How much better a value must be to count. */
  public enum ThresholdMode {
    /** By a share of the best. */
    rel,
    /** By a fixed amount. */
    abs
  }

  private final Optimizer optimizer;
  private SchedulerMode mode;
  private double factor;
  private int patience;
  private double threshold;
  private ThresholdMode thresholdMode;
  private int cooldown;
  private double[] minLrs;
  private double eps;
  private final boolean verbose;
  private int lastEpoch;
  private double best;
  private int cooldownCounter;
  private int badEpochs;
  private double[] lastLr;

  /** A tenth after ten epochs without a value that is less. */
  public ReduceLROnPlateauScheduler(Optimizer optimizer) {
    this(optimizer, SchedulerMode.min, 0.1, 10);
  }

  /** {@code factor} times after {@code patience} epochs without a better value. */
  public ReduceLROnPlateauScheduler(
      Optimizer optimizer, SchedulerMode mode, double factor, int patience) {
    this(optimizer, mode, factor, patience, 1e-4, ThresholdMode.rel, 0, new double[0], 1e-8, false);
  }

  /** The same with numbers of single precision. */
  public ReduceLROnPlateauScheduler(
      Optimizer optimizer,
      SchedulerMode mode,
      float factor,
      int patience,
      double threshold,
      ThresholdMode thresholdMode,
      int cooldown,
      FloatVector minLrs,
      double eps,
      boolean verbose) {
    this(
        optimizer,
        mode,
        (double) factor,
        patience,
        threshold,
        thresholdMode,
        cooldown,
        doubles(minLrs),
        eps,
        verbose);
  }

  /**
   * All that can be set.
   *
   * @param cooldown epochs after a change that are not counted
   * @param minLrs the learning rates do not become less; one for each group, or none
   * @param eps smaller changes are left out
   * @param verbose whether a changed learning rate is printed
   */
  public ReduceLROnPlateauScheduler(
      Optimizer optimizer,
      SchedulerMode mode,
      double factor,
      int patience,
      double threshold,
      ThresholdMode thresholdMode,
      int cooldown,
      double[] minLrs,
      double eps,
      boolean verbose) {
    LRScheduler.require(factor < 1.0, "Factor should be < 1.0.");
    int groups = (int) optimizer.param_groups().size();
    LRScheduler.require(
        minLrs.length == 0 || minLrs.length == groups,
        "expected " + groups + " min_lrs, got " + minLrs.length);
    this.optimizer = optimizer;
    this.mode = mode;
    this.factor = factor;
    this.patience = patience;
    this.threshold = threshold;
    this.thresholdMode = thresholdMode;
    this.cooldown = cooldown;
    this.minLrs = minLrs.clone();
    this.eps = eps;
    this.verbose = verbose;
    this.best = worst();
    this.lastLr = current();
  }

  private static double[] doubles(FloatVector values) {
    double[] numbers = new double[(int) values.size()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = values.get(i);
    }
    return numbers;
  }

  private double worst() {
    return mode == SchedulerMode.min ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
  }

  private boolean isBetter(double value) {
    boolean less = mode == SchedulerMode.min;
    double bound;
    if (thresholdMode == ThresholdMode.rel) {
      bound = best * (less ? 1.0 - threshold : threshold + 1.0);
    } else {
      bound = less ? best - threshold : best + threshold;
    }
    return less ? value < bound : value > bound;
  }

  /** Takes the value of an epoch into account; lowers the learning rates if it is time. */
  public void step(float metric) {
    step((double) metric);
  }

  /** Takes the value of an epoch into account; lowers the learning rates if it is time. */
  public void step(double metric) {
    lastEpoch++;
    if (isBetter(metric)) {
      best = metric;
      badEpochs = 0;
    } else {
      badEpochs++;
    }
    if (cooldownCounter > 0) {
      cooldownCounter--;
      badEpochs = 0;
    }
    if (badEpochs > patience) {
      reduce();
      cooldownCounter = cooldown;
      badEpochs = 0;
    }
    lastLr = current();
  }

  private void reduce() {
    OptimizerParamGroupVector groups = optimizer.param_groups();
    if (minLrs.length != 0 && minLrs.length != groups.size()) {
      throw new IllegalStateException(
          "The number of param groups in the `optimizer` ("
              + groups.size()
              + ") differs from when `ReduceLROnPlateau` was initialized ("
              + minLrs.length
              + "), usually due to a new param group being added to the optimizer.");
    }
    for (int i = 0; i < groups.size(); i++) {
      OptimizerOptions options = groups.get(i).options();
      double old = options.get_lr();
      double next = Math.max(old * factor, minLrs.length == 0 ? 0 : minLrs[i]);
      if (old - next > eps) {
        options.set_lr(next);
        if (verbose) {
          System.out.printf(
              "Epoch %d: reducing learning rate of group %d to %.4e.%n", lastEpoch, i, next);
        }
      }
    }
  }

  private double[] current() {
    OptimizerParamGroupVector groups = optimizer.param_groups();
    double[] rates = new double[(int) groups.size()];
    for (int i = 0; i < rates.length; i++) {
      rates[i] = groups.get(i).options().get_lr();
    }
    return rates;
  }

  /** The learning rates after the last step. */
  public double[] get_last_lr() {
    return lastLr.clone();
  }

  /** The learning rates after the last step. */
  public double[] getLastLr() {
    return get_last_lr();
  }

  /** Everything but the optimizer, under the names of Python's states. */
  public Map<String, Object> state_dict() {
    boolean own = minLrs.length != 0;
    Map<String, Object> state = new LinkedHashMap<>();
    state.put("factor", factor);
    state.put("default_min_lr", own ? null : 0.0);
    state.put("min_lrs", SavedState.list(own ? minLrs : new double[lastLr.length]));
    state.put("patience", patience);
    state.put("cooldown", cooldown);
    state.put("eps", eps);
    state.put("last_epoch", lastEpoch);
    state.put("_last_lr", SavedState.list(lastLr));
    state.put("mode_worse", worst());
    state.put("mode", mode.name());
    state.put("threshold", threshold);
    state.put("threshold_mode", thresholdMode.name());
    state.put("best", best);
    state.put("cooldown_counter", cooldownCounter);
    state.put("num_bad_epochs", badEpochs);
    return state;
  }

  /** Everything but the optimizer, like {@link #state_dict()}. */
  public Map<String, Object> stateDict() {
    return state_dict();
  }

  /**
   * Takes over the state of another such schedule.
   *
   * @throws IllegalArgumentException if something is missing or makes no sense
   */
  public void load_state_dict(Map<String, ?> state) {
    SchedulerMode savedMode = SchedulerMode.valueOf(SavedState.text(state, "mode"));
    ThresholdMode savedThreshold = ThresholdMode.valueOf(SavedState.text(state, "threshold_mode"));
    double[] least = SavedState.numbers(state, "min_lrs");
    double[] rates = SavedState.numbers(state, "_last_lr");
    factor = SavedState.number(state, "factor");
    patience = SavedState.integer(state, "patience");
    cooldown = SavedState.integer(state, "cooldown");
    eps = SavedState.number(state, "eps");
    lastEpoch = SavedState.integer(state, "last_epoch");
    threshold = SavedState.number(state, "threshold");
    best = SavedState.number(state, "best");
    cooldownCounter = SavedState.integer(state, "cooldown_counter");
    badEpochs = SavedState.integer(state, "num_bad_epochs");
    minLrs = least;
    lastLr = rates;
    mode = savedMode;
    thresholdMode = savedThreshold;
  }

  /** Takes over a state, like {@link #load_state_dict}. */
  public void loadStateDict(Map<String, ?> state) {
    load_state_dict(state);
  }
}
