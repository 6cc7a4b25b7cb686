package org.onetape.nn;

import org.onetape.BoolPointer;

/** How an {@link EmbeddingImpl} is made of given vectors. */
public final class EmbeddingFromPretrainedOptions
    extends EmbeddingOptionsBase<EmbeddingFromPretrainedOptions> {
  private final BoolPointer freeze = new BoolPointer(true);

  /** No gradients. */
  public EmbeddingFromPretrainedOptions() {}

  /** Whether the vectors get no gradients. */
  public BoolPointer freeze() {
    return freeze;
  }

  /** Sets whether the vectors get no gradients; returns this. */
  public EmbeddingFromPretrainedOptions freeze(boolean value) {
    freeze.put(value);
    return this;
  }

  @Override
  EmbeddingFromPretrainedOptions self() {
    return this;
  }
}
