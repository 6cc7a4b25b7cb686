package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link Conv3dImpl} is made. */
public final class Conv3dOptions extends ConvOptionsBase<Conv3dOptions> {
  private final Conv3dPadding padding = new Conv3dPadding();

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public Conv3dOptions(long inChannels, long outChannels, LongPointer kernelSize) {
    this(inChannels, outChannels, kernelSize.toArray());
  }

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public Conv3dOptions(long inChannels, long outChannels, long... kernelSize) {
    super(3, inChannels, outChannels, kernelSize);
  }

  @Override
  Conv3dOptions self() {
    return this;
  }

  /** How much is put around the input. */
  public Conv3dPadding padding() {
    return padding;
  }

  /** Sets how much is put around the input; returns this. */
  public Conv3dOptions padding(Conv3dPadding value) {
    padding.put(value);
    return this;
  }

  /** Sets how much is put around the input: a number, or one a dimension; returns this. */
  public Conv3dOptions padding(LongPointer values) {
    padding.put(values);
    return this;
  }

  /** Sets how much is put around the input: a number, or one a dimension; returns this. */
  public Conv3dOptions padding(long... values) {
    padding.put(values);
    return this;
  }

  /** Puts as much around the input as makes the result as large; returns this. */
  public Conv3dOptions padding(kSame same) {
    padding.put(same);
    return this;
  }

  /** Puts nothing around the input; returns this. */
  public Conv3dOptions padding(kValid valid) {
    padding.put(valid);
    return this;
  }
}
