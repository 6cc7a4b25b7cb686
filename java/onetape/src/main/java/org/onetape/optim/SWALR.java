package org.onetape.optim;

import java.util.Map;
import org.onetape.internal.Engine;

/** Moves the learning rates to a last one and leaves them there, while parameters are averaged. */
public final class SWALR extends LRScheduler {
  private String annealing;
  private int annealEpochs;

  /** Along a cosine in ten epochs. */
  public SWALR(Optimizer optimizer, double swaLr) {
    this(optimizer, swaLr, 10, "cos");
  }

  /** One learning rate for all groups; along a cosine ({@code cos}) or a line ({@code linear}). */
  public SWALR(Optimizer optimizer, double swaLr, int annealEpochs, String annealStrategy) {
    this(optimizer, new double[] {swaLr}, annealEpochs, annealStrategy, -1);
  }

  /** A learning rate for each group, going on from an epoch. */
  public SWALR(
      Optimizer optimizer, double[] swaLr, int annealEpochs, String annealStrategy, int lastEpoch) {
    super(optimizer, lastEpoch);
    double[] targets = forGroups("swa_lr", swaLr);
    require(
        annealStrategy.equals("cos") || annealStrategy.equals("linear"),
        "anneal_strategy must be one of 'cos' or 'linear', instead got " + annealStrategy);
    require(
        annealEpochs >= 0, "anneal_epochs must be equal or greater than 0, got " + annealEpochs);
    for (int i = 0; i < targets.length; i++) {
      options(i).scheduled().put("swa_lr", targets[i]);
    }
    annealing = annealStrategy;
    this.annealEpochs = annealEpochs;
    begin();
  }

  /** The share of the way that is done at a step. */
  private double way(int step) {
    double t = Math.max(0, Math.min(1, (double) step / Math.max(1, annealEpochs)));
    return annealing.equals("linear") ? t : (1 - Engine.cosine(Math.PI * t)) / 2;
  }

  @Override
  protected double[] getLr() {
    int step = annealEpochs == 0 ? Math.max(1, stepCount() - 1) : stepCount() - 1;
    double before = way(step - 1);
    double now = way(step);
    return perGroup(
        i -> {
          double target = options(i).scheduled().get("swa_lr");
          double rate = options(i).get_lr();
          double first = before == 1 ? target : (rate - before * target) / (1 - before);
          return target * now + first * (1 - now);
        });
  }

  @Override
  protected void save(Map<String, Object> state) {
    state.put("_anneal_strategy", annealing);
    state.put("anneal_epochs", annealEpochs);
    super.save(state);
  }

  @Override
  protected void load(Map<String, ?> state) {
    String strategy = SavedState.text(state, "_anneal_strategy");
    int epochs = SavedState.integer(state, "anneal_epochs");
    super.load(state);
    annealing = strategy;
    annealEpochs = epochs;
  }
}
