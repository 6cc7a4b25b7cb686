package org.onetape.nn;

/** How a {@link GRUCellImpl} is made. */
public final class GRUCellOptions extends CellOptionsBase<GRUCellOptions> {
  /** A cell from features of one size to a state of another. */
  public GRUCellOptions(long inputSize, long hiddenSize) {
    super(inputSize, hiddenSize);
  }

  @Override
  GRUCellOptions self() {
    return this;
  }
}
