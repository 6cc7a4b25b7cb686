package org.onetape.nn;

import org.onetape.DoublePointer;

/** How a {@link MarginRankingLossImpl} is made. */
public final class MarginRankingLossOptions extends LossOptionsBase<MarginRankingLossOptions> {
  private final DoublePointer margin = new DoublePointer(new double[] {0});

  /** The default numbers, and the mean over all elements. */
  public MarginRankingLossOptions() {}

  /** The given reduction. */
  public MarginRankingLossOptions(LossReduction reduction) {
    reduction(reduction);
  }

  @Override
  MarginRankingLossOptions self() {
    return this;
  }

  /** How far scores are to be apart. */
  public DoublePointer margin() {
    return margin;
  }

  /** Sets how far scores are to be apart; returns this. */
  public MarginRankingLossOptions margin(double value) {
    margin.put(value);
    return this;
  }
}
