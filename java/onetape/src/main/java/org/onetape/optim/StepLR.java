package org.onetape.optim;

import java.util.Map;
import org.onetape.internal.Engine;

/** Multiplies the learning rates by gamma every so many epochs. */
public final class StepLR extends LRScheduler {
  private int stepSize;
  private double gamma;

  /** A tenth every {@code stepSize} epochs. */
  public StepLR(Optimizer optimizer, int stepSize) {
    this(optimizer, stepSize, 0.1);
  }

  /** {@code gamma} times every {@code stepSize} epochs. */
  public StepLR(Optimizer optimizer, int stepSize, double gamma) {
    this(optimizer, stepSize, gamma, -1);
  }

  /** The same, going on from an epoch. */
  public StepLR(Optimizer optimizer, int stepSize, double gamma, int lastEpoch) {
    super(optimizer, lastEpoch);
    require(stepSize != 0, "StepLR: step_size must not be 0");
    this.stepSize = stepSize;
    this.gamma = gamma;
    begin();
  }

  @Override
  protected double[] getLr() {
    return lastEpoch() == 0 || lastEpoch() % stepSize != 0 ? current() : scaled(gamma);
  }

  @Override
  double[] closedForm() {
    return scaledBase(Engine.power(gamma, Math.floorDiv(lastEpoch(), stepSize)));
  }

  @Override
  protected void save(Map<String, Object> state) {
    state.put("step_size", stepSize);
    state.put("gamma", gamma);
    super.save(state);
  }

  @Override
  protected void load(Map<String, ?> state) {
    int size = SavedState.integer(state, "step_size");
    double factor = SavedState.number(state, "gamma");
    super.load(state);
    stepSize = size;
    gamma = factor;
  }
}
