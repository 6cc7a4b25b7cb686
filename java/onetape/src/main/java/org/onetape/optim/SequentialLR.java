package org.onetape.optim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One schedule after the other. */
public final class SequentialLR extends CombinedLR {
  private List<Integer> milestones;

  /**
   * The given schedules.
   *
   * @param milestones the epochs in which the second and later ones start
   */
  public SequentialLR(
      Optimizer optimizer, List<? extends LRScheduler> schedulers, int... milestones) {
    super(optimizer, schedulers, " expects at least one scheduler, but got no scheduler.");
    require(
        milestones.length == schedulers.size() - 1,
        "Sequential Schedulers expects number of schedulers provided to be one more than the"
            + " number of milestone points, but got number of schedulers "
            + schedulers.size()
            + " and the number of milestones to be equal to "
            + milestones.length);
    this.milestones = new ArrayList<>();
    for (int milestone : milestones) {
      this.milestones.add(milestone);
    }
    setLastEpoch(0);
    // Each schedule took its first step when it was made; only the one whose turn it is keeps it.
    for (int i = 0; i < groups(); i++) {
      options(i).set_lr(options(i).scheduled().get("initial_lr"));
    }
    undo();
    LRScheduler first = this.schedulers.get(turn(0));
    first.initialStep();
    setLastLr(first.get_last_lr());
  }

  /** The number of the schedule whose turn it is in an epoch. */
  private int turn(int epoch) {
    int passed = 0;
    while (passed < milestones.size() && milestones.get(passed) <= epoch) {
      passed++;
    }
    return passed;
  }

  @Override
  public void step() {
    setLastEpoch(lastEpoch() + 1);
    int turn = turn(lastEpoch());
    LRScheduler now = schedulers.get(turn);
    if (turn > 0 && milestones.get(turn - 1) == lastEpoch()) {
      now.update(0);
    } else {
      now.step();
    }
    setLastLr(now.get_last_lr());
  }

  @Override
  protected void save(Map<String, Object> state) {
    state.put("_milestones", new ArrayList<>(milestones));
    state.put("last_epoch", lastEpoch());
    saveLastLr(state);
    saveSchedulers(state);
  }

  @Override
  protected void load(Map<String, ?> state) {
    double[] epochs = SavedState.numbers(state, "_milestones");
    int epoch = SavedState.integer(state, "last_epoch");
    super.load(state);
    milestones = new ArrayList<>();
    for (double milestone : epochs) {
      milestones.add((int) milestone);
    }
    setLastEpoch(epoch);
  }
}
