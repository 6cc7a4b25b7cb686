package org.onetape.nn;

import org.onetape.LongPointer;

/**
 * What the options of all transposed convolutions share; O is the class of the options themselves.
 */
public abstract class ConvTransposeOptionsBase<O extends ConvTransposeOptionsBase<O>>
    extends ConvOptionsBase<O> {
  final Expanded padding;
  final Expanded outputPadding;

  ConvTransposeOptionsBase(int dims, long inChannels, long outChannels, long... kernelSize) {
    super(dims, inChannels, outChannels, kernelSize);
    padding = Expanded.of(dims, 0);
    outputPadding = Expanded.of(dims, 0);
  }

  /** What is cut off around the result. */
  public LongPointer padding() {
    return padding.pointer();
  }

  /** Sets what is cut off around the result: a number, or one a dimension; returns this. */
  public O padding(LongPointer values) {
    padding.put(values);
    return self();
  }

  /** Sets what is cut off around the result: a number, or one a dimension; returns this. */
  public O padding(long... values) {
    padding.put(values);
    return self();
  }

  /** How much larger the result is at one side. */
  public LongPointer output_padding() {
    return outputPadding.pointer();
  }

  /** Sets how much larger the result is at one side: a number, or one a dimension; returns this. */
  public O output_padding(LongPointer values) {
    outputPadding.put(values);
    return self();
  }

  /** Sets how much larger the result is at one side: a number, or one a dimension; returns this. */
  public O output_padding(long... values) {
    outputPadding.put(values);
    return self();
  }
}
