package org.onetape.optim;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;

/** Multiplies the learning rates by a function of the epoch. */
public final class MultiplicativeLR extends LRScheduler {
  private final List<IntToDoubleFunction> rates;

  /** One function for all groups. */
  public MultiplicativeLR(Optimizer optimizer, IntToDoubleFunction rate) {
    this(optimizer, Collections.nCopies((int) optimizer.param_groups().size(), rate), -1);
  }

  /** A function for each group. */
  public MultiplicativeLR(Optimizer optimizer, List<IntToDoubleFunction> rates) {
    this(optimizer, rates, -1);
  }

  /** The same, going on from an epoch. */
  public MultiplicativeLR(Optimizer optimizer, List<IntToDoubleFunction> rates, int lastEpoch) {
    super(optimizer, lastEpoch);
    require(
        rates.size() == groups(), "Expected " + groups() + " lr_lambdas, but got " + rates.size());
    this.rates = List.copyOf(rates);
    begin();
  }

  @Override
  protected double[] getLr() {
    return isInitial()
        ? current()
        : perGroup(i -> options(i).get_lr() * rates.get(i).applyAsDouble(lastEpoch()));
  }

  @Override
  protected void save(Map<String, Object> state) {
    super.save(state);
    state.put("lr_lambdas", Collections.nCopies(rates.size(), null)); // functions are not saved
  }
}
