package org.onetape.nn;

import org.onetape.DoublePointer;

/** How a {@link CosineEmbeddingLossImpl} is made. */
public final class CosineEmbeddingLossOptions extends LossOptionsBase<CosineEmbeddingLossOptions> {
  private final DoublePointer margin = new DoublePointer(new double[] {0});

  /** The default numbers, and the mean over all elements. */
  public CosineEmbeddingLossOptions() {}

  /** The given reduction. */
  public CosineEmbeddingLossOptions(LossReduction reduction) {
    reduction(reduction);
  }

  @Override
  CosineEmbeddingLossOptions self() {
    return this;
  }

  /** How large the cosine may be. */
  public DoublePointer margin() {
    return margin;
  }

  /** Sets how large the cosine may be; returns this. */
  public CosineEmbeddingLossOptions margin(double value) {
    margin.put(value);
    return this;
  }
}
