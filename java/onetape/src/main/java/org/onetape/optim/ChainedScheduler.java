package org.onetape.optim;

import java.util.List;
import java.util.Map;

/** Several schedules at once, each of which changes what the one before has set. */
public final class ChainedScheduler extends CombinedLR {
  /** The given schedules, of one optimizer. */
  public ChainedScheduler(LRScheduler... schedulers) {
    this(List.of(schedulers));
  }

  /** The given schedules, of one optimizer. */
  public ChainedScheduler(List<? extends LRScheduler> schedulers) {
    super(
        optimizerOf(schedulers),
        schedulers,
        " expects at least one scheduler to be chained, but got no scheduler.");
    noteLr();
  }

  private static Optimizer optimizerOf(List<? extends LRScheduler> schedulers) {
    require(
        !schedulers.isEmpty(),
        "ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.");
    return schedulers.get(0).optimizer;
  }

  @Override
  public void step() {
    schedulers.forEach(LRScheduler::step);
    noteLr();
  }

  @Override
  protected void save(Map<String, Object> state) {
    saveLastLr(state);
    saveSchedulers(state);
  }
}
