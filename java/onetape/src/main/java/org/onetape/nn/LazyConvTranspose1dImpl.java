package org.onetape.nn;

import org.onetape.LongPointer;

/** A {@link ConvTranspose1dImpl} whose number of channels follows from its first input. */
public class LazyConvTranspose1dImpl extends ConvTranspose1dImpl {
  /** To so many channels, by a kernel of this size: a number, or one a dimension. */
  public LazyConvTranspose1dImpl(long outChannels, LongPointer kernelSize) {
    this(new ConvTranspose1dOptions(0, outChannels, kernelSize));
  }

  /** To so many channels, by a kernel of this size: a number, or one a dimension. */
  public LazyConvTranspose1dImpl(long outChannels, long... kernelSize) {
    this(new ConvTranspose1dOptions(0, outChannels, kernelSize));
  }

  /** A layer as the options say, whose input channels are set by the first input. */
  public LazyConvTranspose1dImpl(ConvTranspose1dOptions options) {
    super(options, true);
  }
}
