package org.onetape.optim;

import java.util.Map;
import org.onetape.internal.Engine;

/**
 * Lowers the learning rates along half a cosine and starts again, after longer and longer times.
 */
public final class CosineAnnealingWarmRestarts extends LRScheduler {
  private int first;
  private int now;
  private int growth;
  private double etaMin;
  private double at;

  /** Down to 0 in {@code t0} epochs, again and again. */
  public CosineAnnealingWarmRestarts(Optimizer optimizer, int t0) {
    this(optimizer, t0, 1, 0);
  }

  /** Down to {@code etaMin} in {@code t0} epochs, then {@code tMult} times as many, and so on. */
  public CosineAnnealingWarmRestarts(Optimizer optimizer, int t0, int tMult, double etaMin) {
    this(optimizer, t0, tMult, etaMin, -1);
  }

  /** The same, going on from an epoch. */
  public CosineAnnealingWarmRestarts(
      Optimizer optimizer, int t0, int tMult, double etaMin, int lastEpoch) {
    super(optimizer, lastEpoch);
    require(t0 > 0, "Expected positive integer T_0, but got " + t0);
    require(tMult >= 1, "Expected integer T_mult >= 1, but got " + tMult);
    this.first = t0;
    this.now = t0;
    this.growth = tMult;
    this.etaMin = etaMin;
    this.at = lastEpoch;
    begin();
  }

  @Override
  protected double[] getLr() {
    double[] base = baseLrs();
    double height = 1 + Engine.cosine(Math.PI * at / now);
    return perGroup(i -> etaMin + (base[i] - etaMin) * height / 2);
  }

  @Override
  public void step() {
    if (lastEpoch() < 0) {
      step(0.0);
      return;
    }
    at += 1;
    if (at >= now) {
      at %= now;
      now *= growth;
    }
    setLastEpoch(lastEpoch() + 1);
    setLr(getLr());
  }

  @Override
  public void step(int epoch) {
    step((double) epoch);
  }

  /** Goes to a moment, which may lie between two epochs, and sets the learning rates. */
  public void step(double epoch) {
    require(epoch >= 0, "Expected non-negative epoch, but got " + epoch);
    if (epoch < first) {
      now = first;
      at = epoch;
    } else if (growth == 1) {
      at = epoch % first;
    } else {
      double times = Engine.logarithm(epoch / first * (growth - 1) + 1) / Engine.logarithm(growth);
      double grown = Engine.power(growth, (int) times);
      at = epoch - first * (grown - 1) / (growth - 1);
      now = (int) (first * grown);
    }
    setLastEpoch((int) Math.floor(epoch));
    setLr(getLr());
  }

  @Override
  void update(int epoch) {
    setLastEpoch(epoch);
    setLr(getLr());
  }

  @Override
  protected void save(Map<String, Object> state) {
    state.put("T_0", first);
    state.put("T_i", now);
    state.put("T_mult", growth);
    state.put("eta_min", etaMin);
    state.put("T_cur", at);
    super.save(state);
  }

  @Override
  protected void load(Map<String, ?> state) {
    int saved0 = SavedState.integer(state, "T_0");
    int saved1 = SavedState.integer(state, "T_i");
    int saved2 = SavedState.integer(state, "T_mult");
    double least = SavedState.number(state, "eta_min");
    double place = SavedState.number(state, "T_cur");
    super.load(state);
    first = saved0;
    now = saved1;
    growth = saved2;
    etaMin = least;
    at = place;
  }
}
