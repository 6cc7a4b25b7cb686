package org.onetape.nn;

import org.onetape.DoublePointer;

/** How a {@link SmoothL1LossImpl} is made. */
public final class SmoothL1LossOptions extends LossOptionsBase<SmoothL1LossOptions> {
  private final DoublePointer beta = new DoublePointer(new double[] {1});

  /** The default numbers, and the mean over all elements. */
  public SmoothL1LossOptions() {}

  /** The given reduction. */
  public SmoothL1LossOptions(LossReduction reduction) {
    reduction(reduction);
  }

  @Override
  SmoothL1LossOptions self() {
    return this;
  }

  /** The difference at which the parabola ends. */
  public DoublePointer beta() {
    return beta;
  }

  /** Sets the difference at which the parabola ends; returns this. */
  public SmoothL1LossOptions beta(double value) {
    beta.put(value);
    return this;
  }
}
