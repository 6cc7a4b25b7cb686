package org.onetape.nn;

/** How a {@link LSTMCellImpl} is made. */
public final class LSTMCellOptions extends CellOptionsBase<LSTMCellOptions> {
  /** A cell from features of one size to a state of another. */
  public LSTMCellOptions(long inputSize, long hiddenSize) {
    super(inputSize, hiddenSize);
  }

  @Override
  LSTMCellOptions self() {
    return this;
  }
}
