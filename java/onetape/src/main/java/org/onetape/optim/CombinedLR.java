package org.onetape.optim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A schedule made of schedules of one optimizer. */
abstract class CombinedLR extends LRScheduler {
  final List<LRScheduler> schedulers;

  CombinedLR(Optimizer optimizer, List<? extends LRScheduler> schedulers, String empty) {
    super(optimizer, -1);
    require(!schedulers.isEmpty(), getClass().getSimpleName() + empty);
    this.schedulers = List.copyOf(schedulers);
    for (int i = 0; i < schedulers.size(); i++) {
      LRScheduler one = schedulers.get(i);
      require(
          one.optimizer == optimizer,
          getClass().getSimpleName()
              + " expects all schedulers to belong to the same optimizer, but got scheduler "
              + one.getClass().getSimpleName()
              + " at index "
              + i
              + " of another one.");
    }
  }

  @Override
  protected final double[] getLr() {
    throw new UnsupportedOperationException("the schedules that this is made of set the rates");
  }

  @Override
  public final void step(int epoch) {
    throw new UnsupportedOperationException("only step() goes through several schedules");
  }

  @Override
  final void undo() {
    schedulers.forEach(LRScheduler::undo);
  }

  final void saveSchedulers(Map<String, Object> state) {
    List<Map<String, Object>> states = new ArrayList<>();
    schedulers.forEach(one -> states.add(one.state_dict()));
    state.put("_schedulers", states);
  }

  @Override
  @SuppressWarnings("unchecked")
  protected void load(Map<String, ?> state) {
    double[] rates = SavedState.numbers(state, "_last_lr");
    Object saved = state.get("_schedulers");
    require(
        saved instanceof List
            && ((List<?>) saved).size() == schedulers.size()
            && ((List<?>) saved).stream().allMatch(Map.class::isInstance),
        "'_schedulers' must be the states of " + schedulers.size() + " schedules");
    for (int i = 0; i < schedulers.size(); i++) {
      schedulers.get(i).load_state_dict((Map<String, ?>) ((List<?>) saved).get(i));
    }
    setLastLr(rates);
  }
}
