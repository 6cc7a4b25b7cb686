package org.onetape.nn;

import org.onetape.BoolPointer;

/** How a {@link KLDivLossImpl} is made. */
public final class KLDivLossOptions extends LossOptionsBase<KLDivLossOptions> {
  private final BoolPointer logTarget = new BoolPointer(false);

  /** The default numbers, and the mean over all elements. */
  public KLDivLossOptions() {}

  /** The given reduction. */
  public KLDivLossOptions(LossReduction reduction) {
    reduction(reduction);
  }

  @Override
  KLDivLossOptions self() {
    return this;
  }

  /** Whether the target holds logarithms, too. */
  public BoolPointer log_target() {
    return logTarget;
  }

  /** Sets whether the target holds logarithms, too; returns this. */
  public KLDivLossOptions log_target(boolean value) {
    logTarget.put(value);
    return this;
  }
}
