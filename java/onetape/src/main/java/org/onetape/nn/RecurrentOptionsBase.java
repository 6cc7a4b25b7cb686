package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.DoublePointer;
import org.onetape.LongPointer;

/** What the options of recurrent layers share; O is the class of the options themselves. */
public abstract class RecurrentOptionsBase<O extends RecurrentOptionsBase<O>>
    extends CellOptionsBase<O> {
  private final LongPointer numLayers = new LongPointer(new long[] {1});
  private final BoolPointer batchFirst = new BoolPointer(false);
  private final DoublePointer dropout = new DoublePointer(new double[] {0});
  private final BoolPointer bidirectional = new BoolPointer(false);

  RecurrentOptionsBase(long inputSize, long hiddenSize) {
    super(inputSize, hiddenSize);
  }

  /** The number of layers on top of each other. */
  public LongPointer num_layers() {
    return numLayers;
  }

  /** Sets the number of layers on top of each other; returns this. */
  public O num_layers(long value) {
    numLayers.put(value);
    return self();
  }

  /** Whether the batch is the first dimension. */
  public BoolPointer batch_first() {
    return batchFirst;
  }

  /** Sets whether the batch is the first dimension; returns this. */
  public O batch_first(boolean value) {
    batchFirst.put(value);
    return self();
  }

  /** The probability with which an element between two layers becomes 0 in training. */
  public DoublePointer dropout() {
    return dropout;
  }

  /**
   * Sets the probability with which an element between two layers becomes 0 in training; returns
   * this.
   */
  public O dropout(double value) {
    dropout.put(value);
    return self();
  }

  /** Whether a second network goes backwards. */
  public BoolPointer bidirectional() {
    return bidirectional;
  }

  /** Sets whether a second network goes backwards; returns this. */
  public O bidirectional(boolean value) {
    bidirectional.put(value);
    return self();
  }
}
