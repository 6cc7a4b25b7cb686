package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link ConvTranspose3dImpl} is made. */
public final class ConvTranspose3dOptions extends ConvOptionsBase<ConvTranspose3dOptions> {
  final Expanded padding = Expanded.of(3, 0);
  final Expanded outputPadding = Expanded.of(3, 0);

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public ConvTranspose3dOptions(long inChannels, long outChannels, LongPointer kernelSize) {
    this(inChannels, outChannels, kernelSize.toArray());
  }

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public ConvTranspose3dOptions(long inChannels, long outChannels, long... kernelSize) {
    super(3, inChannels, outChannels, kernelSize);
  }

  @Override
  ConvTranspose3dOptions self() {
    return this;
  }

  /** What is cut off around the result. */
  public LongPointer padding() {
    return padding.pointer();
  }

  /** Sets what is cut off around the result: a number, or one a dimension; returns this. */
  public ConvTranspose3dOptions padding(LongPointer values) {
    padding.put(values);
    return this;
  }

  /** Sets what is cut off around the result: a number, or one a dimension; returns this. */
  public ConvTranspose3dOptions padding(long... values) {
    padding.put(values);
    return this;
  }

  /** How much larger the result is at one side. */
  public LongPointer output_padding() {
    return outputPadding.pointer();
  }

  /** Sets how much larger the result is at one side: a number, or one a dimension; returns this. */
  public ConvTranspose3dOptions output_padding(LongPointer values) {
    outputPadding.put(values);
    return this;
  }

  /** Sets how much larger the result is at one side: a number, or one a dimension; returns this. */
  public ConvTranspose3dOptions output_padding(long... values) {
    outputPadding.put(values);
    return this;
  }
}
