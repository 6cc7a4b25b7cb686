package org.onetape.nn;

import org.onetape.Tensor;

/** How a {@link MultiLabelSoftMarginLossImpl} is made. */
public final class MultiLabelSoftMarginLossOptions
    extends LossOptionsBase<MultiLabelSoftMarginLossOptions> {
  private Tensor weight = new Tensor();

  /** The default numbers, and the mean over all elements. */
  public MultiLabelSoftMarginLossOptions() {}

  /** The given reduction. */
  public MultiLabelSoftMarginLossOptions(LossReduction reduction) {
    reduction(reduction);
  }

  @Override
  MultiLabelSoftMarginLossOptions self() {
    return this;
  }

  /** A factor for each class; undefined where there is none. */
  public Tensor weight() {
    return weight;
  }

  /** Sets a factor for each class; returns this. */
  public MultiLabelSoftMarginLossOptions weight(Tensor value) {
    weight = value;
    return this;
  }
}
