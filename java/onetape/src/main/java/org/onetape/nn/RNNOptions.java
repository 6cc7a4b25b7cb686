package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.DoublePointer;
import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link RNNImpl} is made. */
public final class RNNOptions extends Value {
  private final LongPointer inputSize;
  private final LongPointer hiddenSize;
  private final LongPointer numLayers = new LongPointer(new long[] {1});
  private final BoolPointer bias = new BoolPointer(true);
  private final BoolPointer batchFirst = new BoolPointer(false);
  private final DoublePointer dropout = new DoublePointer(new double[] {0});
  private final BoolPointer bidirectional = new BoolPointer(false);
  private RNNNonlinearity nonlinearity = new RNNNonlinearity(new kTanh());

  /** A layer from features of one size to a state of another. */
  public RNNOptions(long inputSize, long hiddenSize) {
    this.inputSize = new LongPointer(new long[] {inputSize});
    this.hiddenSize = new LongPointer(new long[] {hiddenSize});
  }

  /** The features of the input. */
  public LongPointer input_size() {
    return inputSize;
  }

  /** Sets the features of the input; returns this. */
  public RNNOptions input_size(long value) {
    inputSize.put(value);
    return this;
  }

  /** The features of the state. */
  public LongPointer hidden_size() {
    return hiddenSize;
  }

  /** Sets the features of the state; returns this. */
  public RNNOptions hidden_size(long value) {
    hiddenSize.put(value);
    return this;
  }

  /** The number of layers on top of each other. */
  public LongPointer num_layers() {
    return numLayers;
  }

  /** Sets the number of layers on top of each other; returns this. */
  public RNNOptions num_layers(long value) {
    numLayers.put(value);
    return this;
  }

  /** Whether sums have a bias. */
  public BoolPointer bias() {
    return bias;
  }

  /** Sets whether sums have a bias; returns this. */
  public RNNOptions bias(boolean value) {
    bias.put(value);
    return this;
  }

  /** Whether the batch is the first dimension. */
  public BoolPointer batch_first() {
    return batchFirst;
  }

  /** Sets whether the batch is the first dimension; returns this. */
  public RNNOptions batch_first(boolean value) {
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
  public RNNOptions dropout(double value) {
    dropout.put(value);
    return this;
  }

  /** Whether a second network goes backwards. */
  public BoolPointer bidirectional() {
    return bidirectional;
  }

  /** Sets whether a second network goes backwards; returns this. */
  public RNNOptions bidirectional(boolean value) {
    bidirectional.put(value);
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
