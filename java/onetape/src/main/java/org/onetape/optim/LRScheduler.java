package org.onetape.optim;

import java.lang.System.Logger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;

/**
 * Changes the learning rates of an optimizer from epoch to epoch.
 *
 * <pre>{@code
 * LRScheduler scheduler = new StepLR(optimizer, 30, 0.1);
 * for (int epoch = 0; epoch < 100; epoch++) {
 *   train();
 *   scheduler.step();
 * }
 * }</pre>
 *
 * <p>A subclass defines {@link #getLr()}, and calls {@link #begin()} at the end of its constructor.
 */
public abstract class LRScheduler {
  private static final Logger LOGGER = System.getLogger("org.onetape.optim");

  final Optimizer optimizer;
  private double[] baseLrs = {};
  private double[] lastLr = {};
  private int lastEpoch;
  private int stepCount;
  private boolean initial;
  private long stepsBefore;

  /**
   * A schedule that has not begun.
   *
   * @param lastEpoch the epoch to go on from; −1 to start
   * @throws IllegalArgumentException if a group was never scheduled and {@code lastEpoch} is not −1
   */
  protected LRScheduler(Optimizer optimizer, int lastEpoch) {
    this.optimizer = optimizer;
    this.lastEpoch = lastEpoch;
    for (int i = 0; i < groups(); i++) {
      Map<String, Double> scheduled = options(i).scheduled();
      if (lastEpoch == -1) {
        scheduled.putIfAbsent("initial_lr", options(i).get_lr());
      } else if (!scheduled.containsKey("initial_lr")) {
        throw new IllegalArgumentException(
            "param 'initial_lr' is not specified in param_groups["
                + i
                + "] when resuming scheduler with last_epoch >= 0.");
      }
    }
    baseLrs = perGroup(i -> options(i).scheduled().get("initial_lr"));
  }

  /** Takes the first step. */
  protected final void begin() {
    stepsBefore = optimizer.steps();
    initialStep();
  }

  final void initialStep() {
    stepCount = 0;
    initial = true;
    try {
      step();
    } finally {
      initial = false;
    }
  }

  /** The learning rates of the groups for the epoch {@link #lastEpoch()}. */
  protected abstract double[] getLr();

  /** The same from the epoch alone; null if there is no such formula. */
  double[] closedForm() {
    return null;
  }

  /** Goes to the next epoch and sets the learning rates. */
  public void step() {
    countStep();
    update();
  }

  /** Goes to an epoch and sets the learning rates. */
  public void step(int epoch) {
    countStep();
    update(epoch);
  }

  private void countStep() {
    if (stepCount == 1 && optimizer.steps() == stepsBefore) {
      LOGGER.log(
          Logger.Level.WARNING,
          "Detected call of `lr_scheduler.step()` before `optimizer.step()`. You should call them"
              + " in the opposite order: `optimizer.step()` before `lr_scheduler.step()`."
              + " Otherwise the first value of the learning rate schedule is skipped.");
    }
    stepCount++;
  }

  private void update() {
    lastEpoch++;
    setLr(getLr());
  }

  void update(int epoch) {
    lastEpoch = epoch;
    double[] closed = closedForm();
    setLr(closed == null ? getLr() : closed);
  }

  final void setLr(double[] rates) {
    for (int i = 0; i < rates.length; i++) {
      options(i).set_lr(rates[i]);
    }
    noteLr();
  }

  /** Notes the learning rates that are set now. */
  final void noteLr() {
    lastLr = current();
  }

  /** The learning rates that the last step set. */
  public final double[] get_last_lr() {
    return lastLr.clone();
  }

  /** The learning rates that the last step set. */
  public final double[] getLastLr() {
    return get_last_lr();
  }

  final void setLastLr(double[] rates) {
    lastLr = rates;
  }

  /** The epoch of the last step. */
  public final int lastEpoch() {
    return lastEpoch;
  }

  final void setLastEpoch(int epoch) {
    lastEpoch = epoch;
  }

  /** The number of steps, with the first one. */
  final int stepCount() {
    return stepCount;
  }

  /** Whether this is the step that the constructor takes. */
  protected final boolean isInitial() {
    return initial;
  }

  /** The learning rates from which the schedule began. */
  protected final double[] baseLrs() {
    return baseLrs.clone();
  }

  final void setBaseLrs(double[] rates) {
    baseLrs = rates.clone();
  }

  /** The optimizer. */
  public final Optimizer optimizer() {
    return optimizer;
  }

  /** Takes back the epoch of the first step. */
  void undo() {
    lastEpoch--;
  }

  /** The number of groups. */
  protected final int groups() {
    return (int) optimizer.param_groups().size();
  }

  /** The options of a group. */
  protected final OptimizerOptions options(int group) {
    return optimizer.param_groups().get(group).options();
  }

  /** One number a group. */
  protected final double[] perGroup(IntToDoubleFunction ofGroup) {
    double[] numbers = new double[groups()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = ofGroup.applyAsDouble(i);
    }
    return numbers;
  }

  /** The learning rates that are set now. */
  protected final double[] current() {
    return perGroup(i -> options(i).get_lr());
  }

  /** The learning rates that are set now, times a factor. */
  protected final double[] scaled(double factor) {
    return perGroup(i -> options(i).get_lr() * factor);
  }

  /** The first learning rates, times a factor. */
  protected final double[] scaledBase(double factor) {
    return perGroup(i -> baseLrs[i] * factor);
  }

  /** Numbers for the groups, from one for all or one each. */
  final double[] forGroups(String name, double... given) {
    if (given.length != 1 && given.length != groups()) {
      throw new IllegalArgumentException(
          name
              + " must have the same length as optimizer.param_groups. "
              + name
              + " has "
              + given.length
              + " values, param_groups has "
              + groups()
              + ".");
    }
    return perGroup(i -> given[given.length == 1 ? 0 : i]);
  }

  static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }

  /** Everything but the optimizer, under the names of Python's states. */
  public final Map<String, Object> state_dict() {
    Map<String, Object> state = new LinkedHashMap<>();
    save(state);
    return state;
  }

  /** Everything but the optimizer, like {@link #state_dict()}. */
  public final Map<String, Object> stateDict() {
    return state_dict();
  }

  /**
   * Takes over the state of a schedule of the same kind.
   *
   * @throws IllegalArgumentException if something is missing or no number
   */
  public final void load_state_dict(Map<String, ?> state) {
    load(state);
  }

  /** Takes over a state, like {@link #load_state_dict}. */
  public final void loadStateDict(Map<String, ?> state) {
    load_state_dict(state);
  }

  /** Adds what is remembered to a state; subclasses add theirs first. */
  protected void save(Map<String, Object> state) {
    state.put("base_lrs", SavedState.list(baseLrs));
    state.put("last_epoch", lastEpoch);
    state.put("_step_count", stepCount);
    state.put("_is_initial", initial);
    state.put("_get_lr_called_within_step", false);
    saveLastLr(state);
  }

  final void saveLastLr(Map<String, Object> state) {
    state.put("_last_lr", SavedState.list(lastLr));
  }

  /** Takes what is remembered from a state; subclasses take theirs first. */
  protected void load(Map<String, ?> state) {
    double[] base = SavedState.numbers(state, "base_lrs");
    int epoch = SavedState.integer(state, "last_epoch");
    int count = SavedState.integer(state, "_step_count");
    lastLr = SavedState.numbers(state, "_last_lr");
    baseLrs = base;
    lastEpoch = epoch;
    stepCount = count;
  }

  /** The learning rates, as Python shows a list. */
  @Override
  public String toString() {
    List<Double> rates = SavedState.list(lastLr);
    return getClass().getSimpleName() + "(epoch " + lastEpoch + ", rates " + rates + ")";
  }
}
