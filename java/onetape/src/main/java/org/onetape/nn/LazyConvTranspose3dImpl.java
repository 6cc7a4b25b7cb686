package org.onetape.nn;

import org.onetape.LongPointer;

/** A {@link ConvTranspose3dImpl} whose number of channels follows from its first input. */
public class LazyConvTranspose3dImpl extends ConvTranspose3dImpl {
  /** To so many channels, by a kernel of this size: a number, or one a dimension. */
  public LazyConvTranspose3dImpl(long outChannels, LongPointer kernelSize) {
    this(new ConvTranspose3dOptions(0, outChannels, kernelSize));
  }

  /** To so many channels, by a kernel of this size: a number, or one a dimension. */
  public LazyConvTranspose3dImpl(long outChannels, long... kernelSize) {
    this(new ConvTranspose3dOptions(0, outChannels, kernelSize));
  }

  /** A layer as the options say, whose input channels are set by the first input. */
  public LazyConvTranspose3dImpl(ConvTranspose3dOptions options) {
    super(options, true);
  }
}
