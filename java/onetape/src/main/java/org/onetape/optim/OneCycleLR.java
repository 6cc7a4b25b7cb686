package org.onetape.optim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.onetape.internal.Engine;

/** Raises the learning rates to a greatest and lowers them far below where they began, once. */
public final class OneCycleLR extends MomentumLR {
  /** A part of the schedule: where it ends, and between which numbers of a group it moves. */
  private static final class Phase {
    final double end;
    final String startLr;
    final String endLr;
    final String startMomentum;
    final String endMomentum;

    Phase(double end, String startLr, String endLr, String startMomentum, String endMomentum) {
      this.end = end;
      this.startLr = startLr;
      this.endLr = endLr;
      this.startMomentum = startMomentum;
      this.endMomentum = endMomentum;
    }

    Phase(Map<String, ?> saved) {
      this(
          SavedState.number(saved, "end_step"),
          SavedState.text(saved, "start_lr"),
          SavedState.text(saved, "end_lr"),
          SavedState.text(saved, "start_momentum"),
          SavedState.text(saved, "end_momentum"));
    }

    Map<String, Object> saved() {
      Map<String, Object> saved = new LinkedHashMap<>();
      saved.put("end_step", end);
      saved.put("start_lr", startLr);
      saved.put("end_lr", endLr);
      saved.put("start_momentum", startMomentum);
      saved.put("end_momentum", endMomentum);
      return saved;
    }
  }

  private int totalSteps;
  private List<Phase> phases;
  private String annealing;
  private boolean cycleMomentum;

  /** With the options that are usual. */
  public OneCycleLR(Optimizer optimizer, double maxLr, int totalSteps) {
    this(optimizer, maxLr, new OneCycleLROptions().total_steps(totalSteps));
  }

  /** The same greatest learning rate for all groups. */
  public OneCycleLR(Optimizer optimizer, double maxLr, OneCycleLROptions options) {
    this(optimizer, new double[] {maxLr}, options);
  }

  /** The greatest learning rate of each group, or one for all. */
  public OneCycleLR(Optimizer optimizer, double[] maxLr, OneCycleLROptions options) {
    super(optimizer, options.lastEpoch);
    totalSteps = options.steps();
    phases = phases(options.pctStart, totalSteps, options.threePhase);
    require(
        options.pctStart >= 0 && options.pctStart <= 1,
        "Expected float between 0 and 1 pct_start, but got " + options.pctStart);
    annealing = options.annealStrategy;
    require(
        Set.of("cos", "linear").contains(annealing),
        "anneal_strategy must be one of 'cos' or 'linear', instead got " + annealing);
    double[] tops = forGroups("max_lr", maxLr);
    for (int i = 0; i < groups() && options.lastEpoch == -1; i++) {
      Map<String, Double> scheduled = options(i).scheduled();
      double first = tops[i] / options.divFactor;
      scheduled.put("initial_lr", first);
      scheduled.put("max_lr", tops[i]);
      scheduled.put("min_lr", first / options.finalDivFactor);
    }
    cycleMomentum = options.cycleMomentum;
    if (cycleMomentum) {
      beginMomentum(
          forGroups("base_momentum", options.baseMomentum),
          forGroups("max_momentum", options.maxMomentum),
          options.lastEpoch);
    }
    setBaseLrs(perGroup(i -> options(i).scheduled().get("initial_lr")));
    begin();
  }

  private static List<Phase> phases(double share, int steps, boolean three) {
    String most = "max_momentum";
    String least = "base_momentum";
    Phase first = new Phase(share * steps - 1, "initial_lr", "max_lr", most, least);
    if (!three) {
      return List.of(first, new Phase(steps - 1, "max_lr", "min_lr", least, most));
    }
    return List.of(
        first,
        new Phase(2 * share * steps - 2, "max_lr", "initial_lr", least, most),
        new Phase(steps - 1, "initial_lr", "min_lr", most, most));
  }

  private double anneal(double start, double end, double share) {
    return annealing.equals("cos")
        ? end + (start - end) / 2.0 * (Engine.cosine(Math.PI * share) + 1)
        : (end - start) * share + start;
  }

  @Override
  protected double[] getLr() {
    int step = lastEpoch();
    require(
        step <= totalSteps,
        "Tried to step " + step + " times. The specified number of total steps is " + totalSteps);
    double start = 0;
    int number = 0;
    while (number < phases.size() - 1 && step > phases.get(number).end) {
      start = phases.get(number++).end;
    }
    Phase phase = phases.get(number);
    double share = (step - start) / (phase.end - start);
    for (int i = 0; i < groups() && cycleMomentum; i++) {
      Map<String, Double> scheduled = options(i).scheduled();
      double from = scheduled.get(phase.startMomentum);
      options(i).setMomentum(anneal(from, scheduled.get(phase.endMomentum), share));
    }
    return perGroup(
        i -> {
          Map<String, Double> scheduled = options(i).scheduled();
          return anneal(scheduled.get(phase.startLr), scheduled.get(phase.endLr), share);
        });
  }

  @Override
  protected void save(Map<String, Object> state) {
    List<Map<String, Object>> saved = new ArrayList<>();
    phases.forEach(phase -> saved.add(phase.saved()));
    state.put("total_steps", totalSteps);
    state.put("_schedule_phases", saved);
    state.put("_anneal_func_type", annealing);
    state.put("cycle_momentum", cycleMomentum);
    if (cycleMomentum) {
      state.put("use_beta1", usesBeta1());
    }
    super.save(state);
  }

  @Override
  @SuppressWarnings("unchecked")
  protected void load(Map<String, ?> state) {
    int steps = SavedState.integer(state, "total_steps");
    Object saved = state.get("_schedule_phases");
    require(
        saved instanceof List && ((List<?>) saved).stream().allMatch(Map.class::isInstance),
        "'_schedule_phases' must be a list of maps, but is " + saved);
    List<Phase> parts = new ArrayList<>();
    ((List<Map<String, ?>>) saved).forEach(phase -> parts.add(new Phase(phase)));
    require(!parts.isEmpty(), "'_schedule_phases' is empty");
    super.load(state);
    totalSteps = steps;
    phases = parts;
    annealing = SavedState.text(state, "_anneal_func_type");
    cycleMomentum = SavedState.flag(state, "cycle_momentum");
  }
}
