package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link ConvTranspose1dImpl} is made. */
public final class ConvTranspose1dOptions extends ConvTransposeOptionsBase<ConvTranspose1dOptions> {
  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public ConvTranspose1dOptions(long inChannels, long outChannels, LongPointer kernelSize) {
    this(inChannels, outChannels, kernelSize.toArray());
  }

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public ConvTranspose1dOptions(long inChannels, long outChannels, long... kernelSize) {
    super(1, inChannels, outChannels, kernelSize);
  }

  @Override
  ConvTranspose1dOptions self() {
    return this;
  }
}
