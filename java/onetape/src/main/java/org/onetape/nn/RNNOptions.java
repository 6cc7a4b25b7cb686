package org.onetape.nn;

/** How a {@link RNNImpl} is made. */
public final class RNNOptions extends RecurrentOptionsBase<RNNOptions> {
  private RNNNonlinearity nonlinearity = new RNNNonlinearity(new kTanh());

  /** A layer from features of one size to a state of another. */
  public RNNOptions(long inputSize, long hiddenSize) {
    super(inputSize, hiddenSize);
  }

  @Override
  RNNOptions self() {
    return this;
  }

  /** What becomes of the sums. */
  public RNNNonlinearity nonlinearity() {
    return nonlinearity;
  }

  /** Sets what becomes of the sums; returns this. */
  public RNNOptions nonlinearity(RNNNonlinearity value) {
    nonlinearity = value;
    return this;
  }
}
