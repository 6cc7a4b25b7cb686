package org.onetape.optim;

import java.util.Map;
import org.onetape.internal.Engine;

/** Lowers the learning rates to nothing along a power of what is left of the epochs. */
public final class PolynomialLR extends LRScheduler {
  private int totalIters;
  private double power;

  /** In a line in five epochs. */
  public PolynomialLR(Optimizer optimizer) {
    this(optimizer, 5, 1.0);
  }

  /** In {@code totalIters} epochs, along the given power. */
  public PolynomialLR(Optimizer optimizer, int totalIters, double power) {
    this(optimizer, totalIters, power, -1);
  }

  /** The same, going on from an epoch. */
  public PolynomialLR(Optimizer optimizer, int totalIters, double power, int lastEpoch) {
    super(optimizer, lastEpoch);
    this.totalIters = totalIters;
    this.power = power;
    begin();
  }

  private double left(int epoch) {
    return 1.0 - (double) epoch / totalIters;
  }

  @Override
  protected double[] getLr() {
    if (isInitial() || lastEpoch() > totalIters) {
      return current();
    }
    return scaled(Engine.power(left(lastEpoch()) / left(lastEpoch() - 1), power));
  }

  @Override
  double[] closedForm() {
    return scaledBase(Engine.power(left(Math.min(totalIters, lastEpoch())), power));
  }

  @Override
  protected void save(Map<String, Object> state) {
    state.put("total_iters", totalIters);
    state.put("power", power);
    super.save(state);
  }

  @Override
  protected void load(Map<String, ?> state) {
    int total = SavedState.integer(state, "total_iters");
    double exponent = SavedState.number(state, "power");
    super.load(state);
    totalIters = total;
    power = exponent;
  }
}
