package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link Conv1dImpl} is made. */
public final class Conv1dOptions extends ConvOptionsBase<Conv1dOptions> {
  private final Conv1dPadding padding = new Conv1dPadding();

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public Conv1dOptions(long inChannels, long outChannels, LongPointer kernelSize) {
    this(inChannels, outChannels, kernelSize.toArray());
  }

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public Conv1dOptions(long inChannels, long outChannels, long... kernelSize) {
    super(1, inChannels, outChannels, kernelSize);
  }

  @Override
  Conv1dOptions self() {
    return this;
  }

  /** How much is put around the input. */
  public Conv1dPadding padding() {
    return padding;
  }

  /** Sets how much is put around the input; returns this. */
  public Conv1dOptions padding(Conv1dPadding value) {
    padding.put(value);
    return this;
  }

  /** Sets how much is put around the input: a number, or one a dimension; returns this. */
  public Conv1dOptions padding(LongPointer values) {
    padding.put(values);
    return this;
  }

  /** Sets how much is put around the input: a number, or one a dimension; returns this. */
  public Conv1dOptions padding(long... values) {
    padding.put(values);
    return this;
  }

  /** Puts as much around the input as makes the result as large; returns this. */
  public Conv1dOptions padding(kSame same) {
    padding.put(same);
    return this;
  }

  /** Puts nothing around the input; returns this. */
  public Conv1dOptions padding(kValid valid) {
    padding.put(valid);
    return this;
  }
}
