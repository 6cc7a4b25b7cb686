package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.DoublePointer;

/** How a {@link PoissonNLLLossImpl} is made. */
public final class PoissonNLLLossOptions extends LossOptionsBase<PoissonNLLLossOptions> {
  private final BoolPointer logInput = new BoolPointer(true);
  private final BoolPointer full = new BoolPointer(false);
  private final DoublePointer eps = new DoublePointer(new double[] {1e-8});

  /** The default numbers, and the mean over all elements. */
  public PoissonNLLLossOptions() {}

  /** The given reduction. */
  public PoissonNLLLossOptions(LossReduction reduction) {
    reduction(reduction);
  }

  @Override
  PoissonNLLLossOptions self() {
    return this;
  }

  /** Whether the input is the logarithm of the mean. */
  public BoolPointer log_input() {
    return logInput;
  }

  /** Sets whether the input is the logarithm of the mean; returns this. */
  public PoissonNLLLossOptions log_input(boolean value) {
    logInput.put(value);
    return this;
  }

  /** Whether Stirling's approximation of log(target!) is added. */
  public BoolPointer full() {
    return full;
  }

  /** Sets whether Stirling's approximation of log(target!) is added; returns this. */
  public PoissonNLLLossOptions full(boolean value) {
    full.put(value);
    return this;
  }

  /** What keeps logarithms from 0. */
  public DoublePointer eps() {
    return eps;
  }

  /** Sets what keeps logarithms from 0; returns this. */
  public PoissonNLLLossOptions eps(double value) {
    eps.put(value);
    return this;
  }
}
