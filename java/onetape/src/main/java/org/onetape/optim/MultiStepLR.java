package org.onetape.optim;

import java.util.LinkedHashMap;
import java.util.Map;
import org.onetape.internal.Engine;

/** Multiplies the learning rates by gamma at the given epochs. */
public final class MultiStepLR extends LRScheduler {
  private Map<Integer, Integer> milestones = new LinkedHashMap<>();
  private double gamma;

  /** A tenth at each of the epochs. */
  public MultiStepLR(Optimizer optimizer, int[] milestones) {
    this(optimizer, milestones, 0.1);
  }

  /** {@code gamma} times at each of the epochs. */
  public MultiStepLR(Optimizer optimizer, int[] milestones, double gamma) {
    this(optimizer, milestones, gamma, -1);
  }

  /** The same, going on from an epoch. */
  public MultiStepLR(Optimizer optimizer, int[] milestones, double gamma, int lastEpoch) {
    super(optimizer, lastEpoch);
    for (int epoch : milestones) {
      this.milestones.merge(epoch, 1, Integer::sum);
    }
    this.gamma = gamma;
    begin();
  }

  @Override
  protected double[] getLr() {
    Integer times = milestones.get(lastEpoch());
    return times == null ? current() : scaled(Engine.power(gamma, times));
  }

  @Override
  double[] closedForm() {
    int passed = 0;
    for (Map.Entry<Integer, Integer> milestone : milestones.entrySet()) {
      passed += milestone.getKey() <= lastEpoch() ? milestone.getValue() : 0;
    }
    return scaledBase(Engine.power(gamma, passed));
  }

  @Override
  protected void save(Map<String, Object> state) {
    state.put("milestones", new LinkedHashMap<>(milestones));
    state.put("gamma", gamma);
    super.save(state);
  }

  @Override
  protected void load(Map<String, ?> state) {
    Object saved = state.get("milestones");
    require(saved instanceof Map, "'milestones' must be a map, but is " + saved);
    Map<Integer, Integer> counts = new LinkedHashMap<>();
    ((Map<?, ?>) saved)
        .forEach(
            (epoch, times) ->
                counts.put(Integer.valueOf(epoch.toString()), Integer.valueOf(times.toString())));
    double factor = SavedState.number(state, "gamma");
    super.load(state);
    milestones = counts;
    gamma = factor;
  }
}
