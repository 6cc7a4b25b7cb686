package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link RNNCellImpl} is made. */
public final class RNNCellOptions extends Value {
  private final LongPointer inputSize;
  private final LongPointer hiddenSize;
  private final BoolPointer bias = new BoolPointer(true);
  private RNNNonlinearity nonlinearity = new RNNNonlinearity(new kTanh());

  /** A cell from features of one size to a state of another. */
  public RNNCellOptions(long inputSize, long hiddenSize) {
    this.inputSize = new LongPointer(new long[] {inputSize});
    this.hiddenSize = new LongPointer(new long[] {hiddenSize});
  }

  /** The features of the input. */
  public LongPointer input_size() {
    return inputSize;
  }

  /** Sets the features of the input; returns this. */
  public RNNCellOptions input_size(long value) {
    inputSize.put(value);
    return this;
  }

  /** The features of the state. */
  public LongPointer hidden_size() {
    return hiddenSize;
  }

  /** Sets the features of the state; returns this. */
  public RNNCellOptions hidden_size(long value) {
    hiddenSize.put(value);
    return this;
  }

  /** Whether sums have a bias. */
  public BoolPointer bias() {
    return bias;
  }

  /** Sets whether sums have a bias; returns this. */
  public RNNCellOptions bias(boolean value) {
    bias.put(value);
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
