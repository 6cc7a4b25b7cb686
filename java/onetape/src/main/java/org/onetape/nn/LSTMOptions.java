package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link LSTMImpl} is made. */
public final class LSTMOptions extends RecurrentOptionsBase<LSTMOptions> {
  private final LongPointer projSize = new LongPointer(new long[] {0});

  /** A layer from features of one size to a state of another. */
  public LSTMOptions(long inputSize, long hiddenSize) {
    super(inputSize, hiddenSize);
  }

  @Override
  LSTMOptions self() {
    return this;
  }

  /** The smaller size to which results are projected; 0 for none. */
  public LongPointer proj_size() {
    return projSize;
  }

  /** Sets the smaller size to which results are projected; 0 for none; returns this. */
  public LSTMOptions proj_size(long value) {
    projSize.put(value);
    return this;
  }
}
