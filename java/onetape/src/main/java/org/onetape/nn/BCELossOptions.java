package org.onetape.nn;

import org.onetape.Tensor;

/** How a {@link BCELossImpl} is made. */
public final class BCELossOptions extends LossOptionsBase<BCELossOptions> {
  private Tensor weight = new Tensor();

  /** The default numbers, and the mean over all elements. */
  public BCELossOptions() {}

  /** The given reduction. */
  public BCELossOptions(LossReduction reduction) {
    reduction(reduction);
  }

  @Override
  BCELossOptions self() {
    return this;
  }

  /** A factor for each element; undefined where there is none. */
  public Tensor weight() {
    return weight;
  }

  /** Sets a factor for each element; returns this. */
  public BCELossOptions weight(Tensor value) {
    weight = value;
    return this;
  }
}
