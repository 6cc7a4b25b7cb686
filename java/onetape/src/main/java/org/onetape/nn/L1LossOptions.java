package org.onetape.nn;

import org.onetape.Value;

/** How a {@link L1LossImpl} is made. */
public final class L1LossOptions extends Value {
  private LossReduction reduction;

  /** The mean over all elements. */
  public L1LossOptions() {
    this(new kMean());
  }

  /** The given reduction. */
  public L1LossOptions(LossReduction reduction) {
    this.reduction = reduction;
  }

  /** How the losses of the elements become one number. */
  public LossReduction reduction() {
    return reduction;
  }

  /** Sets how the losses of the elements become one number; returns this. */
  public L1LossOptions reduction(LossReduction newReduction) {
    reduction = newReduction;
    return this;
  }
}
