package org.onetape.nn;

/** How a {@link MultiLabelMarginLossImpl} is made. */
public final class MultiLabelMarginLossOptions
    extends LossOptionsBase<MultiLabelMarginLossOptions> {

  /** The default numbers, and the mean over all elements. */
  public MultiLabelMarginLossOptions() {}

  /** The given reduction. */
  public MultiLabelMarginLossOptions(LossReduction reduction) {
    reduction(reduction);
  }

  @Override
  MultiLabelMarginLossOptions self() {
    return this;
  }
}
