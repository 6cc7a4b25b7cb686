package org.onetape.optim;

import java.util.Map;
import org.onetape.internal.Engine;

/** Lowers the learning rates along half a cosine, and raises them again. */
public final class CosineAnnealingLR extends LRScheduler {
  private int most;
  private double etaMin;

  /** Down to 0 in {@code tMax} epochs. */
  public CosineAnnealingLR(Optimizer optimizer, int tMax) {
    this(optimizer, tMax, 0);
  }

  /** Down to {@code etaMin} in {@code tMax} epochs. */
  public CosineAnnealingLR(Optimizer optimizer, int tMax, double etaMin) {
    this(optimizer, tMax, etaMin, -1);
  }

  /** The same, going on from an epoch. */
  public CosineAnnealingLR(Optimizer optimizer, int tMax, double etaMin, int lastEpoch) {
    super(optimizer, lastEpoch);
    require(tMax != 0, "CosineAnnealingLR: T_max must not be 0");
    this.most = tMax;
    this.etaMin = etaMin;
    begin();
  }

  /** Twice the height of the cosine, from 2 down to 0. */
  private double height(int epoch) {
    return 1 + Engine.cosine(Math.PI * epoch / most);
  }

  private double[] fromBase(double height) {
    double[] base = baseLrs();
    return perGroup(i -> etaMin + (base[i] - etaMin) * height / 2);
  }

  @Override
  protected double[] getLr() {
    if (isInitial()) {
      return current();
    }
    if (stepCount() == 1 && lastEpoch() > 0) {
      return fromBase(1 + Engine.cosine(lastEpoch() * Math.PI / most));
    }
    if (Math.floorMod(lastEpoch() - 1 - most, 2 * most) == 0) { // just passed the lowest point
      double[] base = baseLrs();
      double rise = 1 - Engine.cosine(Math.PI / most);
      return perGroup(i -> options(i).get_lr() + (base[i] - etaMin) * rise / 2);
    }
    double ratio = height(lastEpoch()) / height(lastEpoch() - 1);
    return perGroup(i -> ratio * (options(i).get_lr() - etaMin) + etaMin);
  }

  @Override
  double[] closedForm() {
    return fromBase(height(lastEpoch()));
  }

  @Override
  protected void save(Map<String, Object> state) {
    state.put("T_max", most);
    state.put("eta_min", etaMin);
    super.save(state);
  }

  @Override
  protected void load(Map<String, ?> state) {
    int epochs = SavedState.integer(state, "T_max");
    double least = SavedState.number(state, "eta_min");
    super.load(state);
    most = epochs;
    etaMin = least;
  }
}
