package org.onetape.nn;

import org.onetape.Value;

/** What the options of losses share; O is the class of the options themselves. */
public abstract class LossOptionsBase<O extends LossOptionsBase<O>> extends Value {
  private LossReduction reduction = new kMean();

  abstract O self();

  /** How the losses of the elements become one number. */
  public LossReduction reduction() {
    return reduction;
  }

  /** Sets how the losses of the elements become one number; returns this. */
  public O reduction(LossReduction value) {
    reduction = value;
    return self();
  }

  /** The reduction's name, as functions take it. */
  final String word() {
    return reduction.toString();
  }
}
