package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link ConvTranspose3dImpl} is made. */
public final class ConvTranspose3dOptions extends ConvTransposeOptionsBase<ConvTranspose3dOptions> {
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
}
