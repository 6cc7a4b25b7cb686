package org.onetape.nn;

import org.onetape.DoublePointer;

/** How a {@link HingeEmbeddingLossImpl} is made. */
public final class HingeEmbeddingLossOptions extends LossOptionsBase<HingeEmbeddingLossOptions> {
  private final DoublePointer margin = new DoublePointer(new double[] {1});

  /** The default numbers, and the mean over all elements. */
  public HingeEmbeddingLossOptions() {}

  /** The given reduction. */
  public HingeEmbeddingLossOptions(LossReduction reduction) {
    reduction(reduction);
  }

  @Override
  HingeEmbeddingLossOptions self() {
    return this;
  }

  /** How far pairs are to be apart. */
  public DoublePointer margin() {
    return margin;
  }

  /** Sets how far pairs are to be apart; returns this. */
  public HingeEmbeddingLossOptions margin(double value) {
    margin.put(value);
    return this;
  }
}
