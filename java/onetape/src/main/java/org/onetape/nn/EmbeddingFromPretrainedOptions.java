package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.LongOptional;
import org.onetape.Value;

/** How an {@link EmbeddingImpl} is made of given vectors. */
public final class EmbeddingFromPretrainedOptions extends Value {
  private final BoolPointer freeze = new BoolPointer(true);
  private final BoolPointer scaleGradByFreq = new BoolPointer(false);
  private final LongOptional paddingIdx = new LongOptional();

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

  /** Whether gradients are divided by how often an index occurs. */
  public BoolPointer scale_grad_by_freq() {
    return scaleGradByFreq;
  }

  /** Sets whether gradients are divided by how often an index occurs; returns this. */
  public EmbeddingFromPretrainedOptions scale_grad_by_freq(boolean value) {
    scaleGradByFreq.put(value);
    return this;
  }

  /** The index that gets no gradient. */
  public LongOptional padding_idx() {
    return paddingIdx;
  }

  /** Sets the index that gets no gradient; returns this. */
  public EmbeddingFromPretrainedOptions padding_idx(LongOptional value) {
    paddingIdx.put(value);
    return this;
  }
}
