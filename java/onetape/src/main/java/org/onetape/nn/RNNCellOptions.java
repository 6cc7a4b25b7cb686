package org.onetape.nn;

/** How a {@link RNNCellImpl} is made. */
public final class RNNCellOptions extends CellOptionsBase<RNNCellOptions> {
  private RNNNonlinearity nonlinearity = new RNNNonlinearity(new kTanh());

  /** A cell from features of one size to a state of another. */
  public RNNCellOptions(long inputSize, long hiddenSize) {
    super(inputSize, hiddenSize);
  }

  @Override
  RNNCellOptions self() {
    return this;
  }

  /** What becomes of the sums. */
  public RNNNonlinearity nonlinearity() {
    return nonlinearity;
  }

  /** Sets what becomes of the sums; returns this. */
  public RNNCellOptions nonlinearity(RNNNonlinearity value) {
    nonlinearity = value;
    return this;
  }
}
