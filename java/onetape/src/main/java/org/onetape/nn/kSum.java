package org.onetape.nn;

/** The sum of the losses. */
public final class kSum extends LossReduction {
  /** The reduction. */
  public kSum() {
    super("sum");
  }
}
