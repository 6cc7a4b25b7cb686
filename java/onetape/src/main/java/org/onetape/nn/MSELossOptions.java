package org.onetape.nn;

import org.onetape.Value;

/** How a {@link MSELossImpl} is made. */
public final class MSELossOptions extends Value {
  private LossReduction reduction;

  /** The mean over all elements. */
  public MSELossOptions() {
    this(new kMean());
  }

  /** The given reduction. */
  public MSELossOptions(LossReduction reduction) {
    this.reduction = reduction;
  }

  /** How the losses of the elements become one number. */
  public LossReduction reduction() {
    return reduction;
  }

  /** Sets how the losses of the elements become one number; returns this. */
  public MSELossOptions reduction(LossReduction newReduction) {
    reduction = newReduction;
    return this;
  }
}
