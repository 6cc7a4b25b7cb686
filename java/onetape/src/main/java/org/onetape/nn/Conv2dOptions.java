package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link Conv2dImpl} is made. */
public final class Conv2dOptions extends ConvOptionsBase<Conv2dOptions> {
  private final Conv2dPadding padding = new Conv2dPadding();

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public Conv2dOptions(long inChannels, long outChannels, LongPointer kernelSize) {
    this(inChannels, outChannels, kernelSize.toArray());
  }

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public Conv2dOptions(long inChannels, long outChannels, long... kernelSize) {
    super(2, inChannels, outChannels, kernelSize);
  }

  @Override
  Conv2dOptions self() {
    return this;
  }

  /** How much is put around the input. */
  public Conv2dPadding padding() {
    return padding;
  }

  /** Sets how much is put around the input; returns this. */
  public Conv2dOptions padding(Conv2dPadding value) {
    padding.put(value);
    return this;
  }

  /** Sets how much is put around the input: a number, or one a dimension; returns this. */
  public Conv2dOptions padding(LongPointer values) {
    padding.put(values);
    return this;
  }

  /** Sets how much is put around the input: a number, or one a dimension; returns this. */
  public Conv2dOptions padding(long... values) {
    padding.put(values);
    return this;
  }

  /** Puts as much around the input as makes the result as large; returns this. */
  public Conv2dOptions padding(kSame same) {
    padding.put(same);
    return this;
  }

  /** Puts nothing around the input; returns this. */
  public Conv2dOptions padding(kValid valid) {
    padding.put(valid);
    return this;
  }
}
