package org.onetape.nn;

import org.onetape.LongPointer;

/** A {@link ConvTranspose2dImpl} whose number of channels follows from its first input. */
public class LazyConvTranspose2dImpl extends ConvTranspose2dImpl {
  /** To so many channels, by a kernel of this size: a number, or one a dimension. */
  public LazyConvTranspose2dImpl(long outChannels, LongPointer kernelSize) {
    this(new ConvTranspose2dOptions(0, outChannels, kernelSize));
  }

  /** To so many channels, by a kernel of this size: a number, or one a dimension. */
  public LazyConvTranspose2dImpl(long outChannels, long... kernelSize) {
    this(new ConvTranspose2dOptions(0, outChannels, kernelSize));
  }

  /** A layer as the options say, whose input channels are set by the first input. */
  public LazyConvTranspose2dImpl(ConvTranspose2dOptions options) {
    super(options, true);
  }
}
