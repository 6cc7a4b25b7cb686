package org.onetape.nn;

import org.onetape.DoublePointer;

/** How a {@link HuberLossImpl} is made. */
public final class HuberLossOptions extends LossOptionsBase<HuberLossOptions> {
  private final DoublePointer delta = new DoublePointer(new double[] {1});

  /** The default numbers, and the mean over all elements. */
  public HuberLossOptions() {}

  /** The given reduction. */
  public HuberLossOptions(LossReduction reduction) {
    reduction(reduction);
  }

  @Override
  HuberLossOptions self() {
    return this;
  }

  /** The difference at which the parabola ends. */
  public DoublePointer delta() {
    return delta;
  }

  /** Sets the difference at which the parabola ends; returns this. */
  public HuberLossOptions delta(double value) {
    delta.put(value);
    return this;
  }
}
