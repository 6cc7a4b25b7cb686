package org.onetape.nn;

/** How a {@link SoftMarginLossImpl} is made. */
public final class SoftMarginLossOptions extends LossOptionsBase<SoftMarginLossOptions> {

  /** The default numbers, and the mean over all elements. */
  public SoftMarginLossOptions() {}

  /** The given reduction. */
  public SoftMarginLossOptions(LossReduction reduction) {
    reduction(reduction);
  }

  @Override
  SoftMarginLossOptions self() {
    return this;
  }
}
