package org.onetape.nn;

/** How a {@link GRUImpl} is made. */
public final class GRUOptions extends RecurrentOptionsBase<GRUOptions> {
  /** A layer from features of one size to a state of another. */
  public GRUOptions(long inputSize, long hiddenSize) {
    super(inputSize, hiddenSize);
  }

  @Override
  GRUOptions self() {
    return this;
  }
}
