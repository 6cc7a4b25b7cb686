package org.onetape.optim;

import java.util.Map;
import org.onetape.internal.Engine;

/** Multiplies the learning rates by gamma every epoch. */
public final class ExponentialLR extends LRScheduler {
  private double gamma;

  /** {@code gamma} times every epoch. */
  public ExponentialLR(Optimizer optimizer, double gamma) {
    this(optimizer, gamma, -1);
  }

  /** The same, going on from an epoch. */
  public ExponentialLR(Optimizer optimizer, double gamma, int lastEpoch) {
    super(optimizer, lastEpoch);
    this.gamma = gamma;
    begin();
  }

  @Override
  protected double[] getLr() {
    return isInitial() ? current() : scaled(gamma);
  }

  @Override
  double[] closedForm() {
    return scaledBase(Engine.power(gamma, lastEpoch()));
  }

  @Override
  protected void save(Map<String, Object> state) {
    state.put("gamma", gamma);
    super.save(state);
  }

  @Override
  protected void load(Map<String, ?> state) {
    double factor = SavedState.number(state, "gamma");
    super.load(state);
    gamma = factor;
  }
}
