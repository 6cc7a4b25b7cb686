package org.onetape.optim;

/** How {@link OneCycleLR} moves the learning rates; every setter returns this. */
public final class OneCycleLROptions {
  Integer totalSteps;
  Integer epochs;
  Integer stepsPerEpoch;
  double pctStart = 0.3;
  String annealStrategy = "cos";
  boolean cycleMomentum = true;
  double[] baseMomentum = {0.85};
  double[] maxMomentum = {0.95};
  double divFactor = 25.0;
  double finalDivFactor = 1e4;
  boolean threePhase;
  int lastEpoch = -1;

  /** The options that are usual; the number of steps must be set. */
  public OneCycleLROptions() {}

  /** The steps of the whole schedule. */
  public OneCycleLROptions total_steps(int steps) {
    totalSteps = steps;
    return this;
  }

  /** The epochs, each of which has {@code steps_per_epoch} steps. */
  public OneCycleLROptions epochs(int count) {
    epochs = count;
    return this;
  }

  /** The steps of an epoch. */
  public OneCycleLROptions steps_per_epoch(int steps) {
    stepsPerEpoch = steps;
    return this;
  }

  /** The share of the steps in which the learning rates rise. */
  public OneCycleLROptions pct_start(double share) {
    pctStart = share;
    return this;
  }

  /** {@code cos} or {@code linear}. */
  public OneCycleLROptions anneal_strategy(String name) {
    annealStrategy = name;
    return this;
  }

  /** Whether the momentum moves against the learning rate. */
  public OneCycleLROptions cycle_momentum(boolean wanted) {
    cycleMomentum = wanted;
    return this;
  }

  /** The least momentum, one for all groups or one each. */
  public OneCycleLROptions base_momentum(double... momentum) {
    baseMomentum = momentum.clone();
    return this;
  }

  /** The greatest momentum, one for all groups or one each. */
  public OneCycleLROptions max_momentum(double... momentum) {
    maxMomentum = momentum.clone();
    return this;
  }

  /** The first learning rates are the greatest divided by this. */
  public OneCycleLROptions div_factor(double factor) {
    divFactor = factor;
    return this;
  }

  /** The last learning rates are the first divided by this. */
  public OneCycleLROptions final_div_factor(double factor) {
    finalDivFactor = factor;
    return this;
  }

  /** Whether the rates first go back as they rose, and only then below. */
  public OneCycleLROptions three_phase(boolean wanted) {
    threePhase = wanted;
    return this;
  }

  /** The epoch to go on from. */
  public OneCycleLROptions last_epoch(int epoch) {
    lastEpoch = epoch;
    return this;
  }

  /** The steps of the whole schedule, as they follow from what is set. */
  int steps() {
    if (totalSteps != null) {
      LRScheduler.require(
          totalSteps > 0, "Expected positive integer total_steps, but got " + totalSteps);
      return totalSteps;
    }
    LRScheduler.require(
        epochs != null && stepsPerEpoch != null,
        "You must define either total_steps OR (epochs AND steps_per_epoch)");
    LRScheduler.require(epochs > 0, "Expected positive integer epochs, but got " + epochs);
    LRScheduler.require(
        stepsPerEpoch > 0, "Expected positive integer steps_per_epoch, but got " + stepsPerEpoch);
    return Math.multiplyExact(epochs, stepsPerEpoch);
  }
}
