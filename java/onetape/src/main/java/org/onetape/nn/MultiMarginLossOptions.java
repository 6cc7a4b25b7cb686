package org.onetape.nn;

import org.onetape.DoublePointer;
import org.onetape.LongPointer;
import org.onetape.Tensor;

/** How a {@link MultiMarginLossImpl} is made. */
public final class MultiMarginLossOptions extends LossOptionsBase<MultiMarginLossOptions> {
  private final LongPointer p = new LongPointer(new long[] {1});
  private final DoublePointer margin = new DoublePointer(new double[] {1});
  private Tensor weight = new Tensor();

  /** The default numbers, and the mean over all elements. */
  public MultiMarginLossOptions() {}

  /** The given reduction. */
  public MultiMarginLossOptions(LossReduction reduction) {
    reduction(reduction);
  }

  @Override
  MultiMarginLossOptions self() {
    return this;
  }

  /** The exponent: 1 or 2. */
  public LongPointer p() {
    return p;
  }

  /** Sets the exponent: 1 or 2; returns this. */
  public MultiMarginLossOptions p(long value) {
    p.put(value);
    return this;
  }

  /** How far scores are to be apart. */
  public DoublePointer margin() {
    return margin;
  }

  /** Sets how far scores are to be apart; returns this. */
  public MultiMarginLossOptions margin(double value) {
    margin.put(value);
    return this;
  }

  /** A factor for each class; undefined where there is none. */
  public Tensor weight() {
    return weight;
  }

  /** Sets a factor for each class; returns this. */
  public MultiMarginLossOptions weight(Tensor value) {
    weight = value;
    return this;
  }
}
