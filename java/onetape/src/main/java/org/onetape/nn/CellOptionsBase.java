package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.LongPointer;
import org.onetape.Value;

/**
 * What the options of recurrent cells, and of layers of them, share; O is the class of the options
 * themselves.
 */
public abstract class CellOptionsBase<O extends CellOptionsBase<O>> extends Value {
  private final LongPointer inputSize;
  private final LongPointer hiddenSize;
  private final BoolPointer bias = new BoolPointer(true);

  CellOptionsBase(long inputSize, long hiddenSize) {
    this.inputSize = new LongPointer(new long[] {inputSize});
    this.hiddenSize = new LongPointer(new long[] {hiddenSize});
  }

  abstract O self();

  /** The features of the input. */
  public LongPointer input_size() {
    return inputSize;
  }

  /** Sets the features of the input; returns this. */
  public O input_size(long value) {
    inputSize.put(value);
    return self();
  }

  /** The features of the state. */
  public LongPointer hidden_size() {
    return hiddenSize;
  }

  /** Sets the features of the state; returns this. */
  public O hidden_size(long value) {
    hiddenSize.put(value);
    return self();
  }

  /** Whether sums have a bias. */
  public BoolPointer bias() {
    return bias;
  }

  /** Sets whether sums have a bias; returns this. */
  public O bias(boolean value) {
    bias.put(value);
    return self();
  }
}
