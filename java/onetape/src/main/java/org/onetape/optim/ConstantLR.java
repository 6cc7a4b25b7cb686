package org.onetape.optim;

import java.util.Map;

/** Multiplies the learning rates by a factor for the first epochs. */
public final class ConstantLR extends LRScheduler {
  private double factor;
  private int totalIters;

  /** A third for five epochs. */
  public ConstantLR(Optimizer optimizer) {
    this(optimizer, 1.0 / 3, 5);
  }

  /** {@code factor} times for {@code totalIters} epochs. */
  public ConstantLR(Optimizer optimizer, double factor, int totalIters) {
    this(optimizer, factor, totalIters, -1);
  }

  /** The same, going on from an epoch. */
  public ConstantLR(Optimizer optimizer, double factor, int totalIters, int lastEpoch) {
    super(optimizer, lastEpoch);
    require(
        factor <= 1.0 && factor >= 0,
        "Constant multiplicative factor expected to be between 0 and 1.");
    this.factor = factor;
    this.totalIters = totalIters;
    begin();
  }

  @Override
  protected double[] getLr() {
    if (lastEpoch() == 0) {
      return scaled(factor);
    }
    return lastEpoch() != totalIters ? current() : scaled(1.0 / factor);
  }

  @Override
  double[] closedForm() {
    return scaledBase(factor + (lastEpoch() >= totalIters ? 1 : 0) * (1 - factor));
  }

  @Override
  protected void save(Map<String, Object> state) {
    state.put("factor", factor);
    state.put("total_iters", totalIters);
    super.save(state);
  }

  @Override
  protected void load(Map<String, ?> state) {
    double saved = SavedState.number(state, "factor");
    int total = SavedState.integer(state, "total_iters");
    super.load(state);
    factor = saved;
    totalIters = total;
  }
}
