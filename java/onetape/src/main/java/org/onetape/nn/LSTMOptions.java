package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.DoublePointer;
import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link LSTMImpl} is made. */
public final class LSTMOptions extends Value {
  private final LongPointer inputSize;
  private final LongPointer hiddenSize;
  private final LongPointer numLayers = new LongPointer(new long[] {1});
  private final BoolPointer bias = new BoolPointer(true);
  private final BoolPointer batchFirst = new BoolPointer(false);
  private final DoublePointer dropout = new DoublePointer(new double[] {0});
  private final BoolPointer bidirectional = new BoolPointer(false);
  private final LongPointer projSize = new LongPointer(new long[] {0});

  /** A layer from features of one size to a state of another. */
  public LSTMOptions(long inputSize, long hiddenSize) {
    this.inputSize = new LongPointer(new long[] {inputSize});
    this.hiddenSize = new LongPointer(new long[] {hiddenSize});
  }

  /** The features of the input. */
  public LongPointer input_size() {
    return inputSize;
  }

  /** Sets the features of the input; returns this. */
  public LSTMOptions input_size(long value) {
    inputSize.put(value);
    return this;
  }

  /** The features of the state. */
  public LongPointer hidden_size() {
    return hiddenSize;
  }

  /** Sets the features of the state; returns this. */
  public LSTMOptions hidden_size(long value) {
    hiddenSize.put(value);
    return this;
  }

  /** The number of layers on top of each other. */
  public LongPointer num_layers() {
    return numLayers;
  }

  /** Sets the number of layers on top of each other; returns this. */
  public LSTMOptions num_layers(long value) {
    numLayers.put(value);
    return this;
  }

  /** Whether sums have a bias. */
  public BoolPointer bias() {
    return bias;
  }

  /** Sets whether sums have a bias; returns this. */
  public LSTMOptions bias(boolean value) {
    bias.put(value);
    return this;
  }

  /** Whether the batch is the first dimension. */
  public BoolPointer batch_first() {
    return batchFirst;
  }

  /** Sets whether the batch is the first dimension; returns this. */
  public LSTMOptions batch_first(boolean value) {
    batchFirst.put(value);
    return this;
  }

  /** The probability with which an element between two layers becomes 0 in training. */
  public DoublePointer dropout() {
    return dropout;
  }

  /**
   * Sets the probability with which an element between two layers becomes 0 in training; returns
   * this.
   */
  public LSTMOptions dropout(double value) {
    dropout.put(value);
    return this;
  }

  /** Whether a second network goes backwards. */
  public BoolPointer bidirectional() {
    return bidirectional;
  }

  /** Sets whether a second network goes backwards; returns this. */
  public LSTMOptions bidirectional(boolean value) {
    bidirectional.put(value);
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
