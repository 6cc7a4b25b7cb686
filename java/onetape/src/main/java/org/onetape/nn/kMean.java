package org.onetape.nn;

/** The mean of the losses. */
public final class kMean extends LossReduction {
  /** The reduction. */
  public kMean() {
    super("mean");
  }
}
