package org.onetape.nn;

/** The sum of the losses divided by the number of samples. */
public final class kBatchMean extends LossReduction {
  /** The reduction. */
  public kBatchMean() {
    super("batchmean");
  }
}
