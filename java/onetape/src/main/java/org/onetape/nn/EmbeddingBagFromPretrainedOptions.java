package org.onetape.nn;

import org.onetape.BoolPointer;

/** How an {@link EmbeddingBagImpl} is made of given vectors. */
public final class EmbeddingBagFromPretrainedOptions
    extends EmbeddingOptionsBase<EmbeddingBagFromPretrainedOptions> {
  private EmbeddingBagMode mode = new EmbeddingBagMode(new kMean());
  private final BoolPointer freeze = new BoolPointer(true);
  private final BoolPointer includeLastOffset = new BoolPointer(false);

  /** No gradients, and the mean of each bag. */
  public EmbeddingBagFromPretrainedOptions() {}

  /** Whether the vectors get no gradients. */
  public BoolPointer freeze() {
    return freeze;
  }

  /** Sets whether the vectors get no gradients; returns this. */
  public EmbeddingBagFromPretrainedOptions freeze(boolean value) {
    freeze.put(value);
    return this;
  }

  /** Whether offsets end with the end of the last bag. */
  public BoolPointer include_last_offset() {
    return includeLastOffset;
  }

  /** Sets whether offsets end with the end of the last bag; returns this. */
  public EmbeddingBagFromPretrainedOptions include_last_offset(boolean value) {
    includeLastOffset.put(value);
    return this;
  }

  /** What becomes of the vectors of a bag. */
  public EmbeddingBagMode mode() {
    return mode;
  }

  /** Sets what becomes of the vectors of a bag; returns this. */
  public EmbeddingBagFromPretrainedOptions mode(EmbeddingBagMode value) {
    mode = value;
    return this;
  }

  @Override
  EmbeddingBagFromPretrainedOptions self() {
    return this;
  }
}
