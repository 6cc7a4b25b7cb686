package org.onetape.nn;

import org.onetape.Tensor;

/** How a {@link BCEWithLogitsLossImpl} is made. */
public final class BCEWithLogitsLossOptions extends LossOptionsBase<BCEWithLogitsLossOptions> {
  private Tensor weight = new Tensor();
  private Tensor posWeight = new Tensor();

  /** The default numbers, and the mean over all elements. */
  public BCEWithLogitsLossOptions() {}

  /** The given reduction. */
  public BCEWithLogitsLossOptions(LossReduction reduction) {
    reduction(reduction);
  }

  @Override
  BCEWithLogitsLossOptions self() {
    return this;
  }

  /** A factor for each element; undefined where there is none. */
  public Tensor weight() {
    return weight;
  }

  /** Sets a factor for each element; returns this. */
  public BCEWithLogitsLossOptions weight(Tensor value) {
    weight = value;
    return this;
  }

  /** A factor for the part of the positive truth; undefined where there is none. */
  public Tensor pos_weight() {
    return posWeight;
  }

  /** Sets a factor for the part of the positive truth; returns this. */
  public BCEWithLogitsLossOptions pos_weight(Tensor value) {
    posWeight = value;
    return this;
  }
}
