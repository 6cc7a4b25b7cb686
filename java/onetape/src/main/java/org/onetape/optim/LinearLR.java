package org.onetape.optim;

import java.util.Map;

/** Multiplies the learning rates by a factor that goes in a line from one number to another. */
public final class LinearLR extends LRScheduler {
  private double startFactor;
  private double endFactor;
  private int totalIters;

  /** From a third to all in five epochs. */
  public LinearLR(Optimizer optimizer) {
    this(optimizer, 1.0 / 3, 1.0, 5);
  }

  /** From {@code startFactor} to {@code endFactor} in {@code totalIters} epochs. */
  public LinearLR(Optimizer optimizer, double startFactor, double endFactor, int totalIters) {
    this(optimizer, startFactor, endFactor, totalIters, -1);
  }

  /** The same, going on from an epoch. */
  public LinearLR(
      Optimizer optimizer, double startFactor, double endFactor, int totalIters, int lastEpoch) {
    super(optimizer, lastEpoch);
    require(
        startFactor <= 1.0 && startFactor > 0,
        "Starting multiplicative factor expected to be greater than 0 and less or equal to 1.");
    require(
        endFactor <= 1.0 && endFactor >= 0,
        "Ending multiplicative factor expected to be between 0 and 1.");
    this.startFactor = startFactor;
    this.endFactor = endFactor;
    this.totalIters = totalIters;
    begin();
  }

  @Override
  protected double[] getLr() {
    if (lastEpoch() == 0) {
      return scaled(startFactor);
    }
    if (isInitial() || lastEpoch() > totalIters) {
      return current();
    }
    double rise = endFactor - startFactor;
    return scaled(1.0 + rise / (totalIters * startFactor + (lastEpoch() - 1) * rise));
  }

  @Override
  double[] closedForm() {
    double rise = endFactor - startFactor;
    return scaledBase(startFactor + rise * Math.min(totalIters, lastEpoch()) / totalIters);
  }

  @Override
  protected void save(Map<String, Object> state) {
    state.put("start_factor", startFactor);
    state.put("end_factor", endFactor);
    state.put("total_iters", totalIters);
    super.save(state);
  }

  @Override
  protected void load(Map<String, ?> state) {
    double start = SavedState.number(state, "start_factor");
    double end = SavedState.number(state, "end_factor");
    int total = SavedState.integer(state, "total_iters");
    super.load(state);
    startFactor = start;
    endFactor = end;
    totalIters = total;
  }
}
