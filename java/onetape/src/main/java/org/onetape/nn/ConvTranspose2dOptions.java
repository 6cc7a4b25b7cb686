package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link ConvTranspose2dImpl} is made. */
public final class ConvTranspose2dOptions extends ConvTransposeOptionsBase<ConvTranspose2dOptions> {
  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public ConvTranspose2dOptions(long inChannels, long outChannels, LongPointer kernelSize) {
    this(inChannels, outChannels, kernelSize.toArray());
  }

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public ConvTranspose2dOptions(long inChannels, long outChannels, long... kernelSize) {
    super(2, inChannels, outChannels, kernelSize);
  }

  @Override
  ConvTranspose2dOptions self() {
    return this;
  }
}
