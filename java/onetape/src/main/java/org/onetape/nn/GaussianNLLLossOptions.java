package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.DoublePointer;

/** How a {@link GaussianNLLLossImpl} is made. */
public final class GaussianNLLLossOptions extends LossOptionsBase<GaussianNLLLossOptions> {
  private final BoolPointer full = new BoolPointer(false);
  private final DoublePointer eps = new DoublePointer(new double[] {1e-6});

  /** The default numbers, and the mean over all elements. */
  public GaussianNLLLossOptions() {}

  /** The given reduction. */
  public GaussianNLLLossOptions(LossReduction reduction) {
    reduction(reduction);
  }

  @Override
  GaussianNLLLossOptions self() {
    return this;
  }

  /** Whether log(2π) / 2 is added. */
  public BoolPointer full() {
    return full;
  }

  /** Sets whether log(2π) / 2 is added; returns this. */
  public GaussianNLLLossOptions full(boolean value) {
    full.put(value);
    return this;
  }

  /** The least variance. */
  public DoublePointer eps() {
    return eps;
  }

  /** Sets the least variance; returns this. */
  public GaussianNLLLossOptions eps(double value) {
    eps.put(value);
    return this;
  }
}
