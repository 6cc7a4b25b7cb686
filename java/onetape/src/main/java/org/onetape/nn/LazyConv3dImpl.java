package org.onetape.nn;

import org.onetape.LongPointer;

/** A {@link Conv3dImpl} whose number of channels follows from its first input. */
public class LazyConv3dImpl extends Conv3dImpl {
  /** To so many channels, by a kernel of this size: a number, or one a dimension. */
  public LazyConv3dImpl(long outChannels, LongPointer kernelSize) {
    this(new Conv3dOptions(0, outChannels, kernelSize));
  }

  /** To so many channels, by a kernel of this size: a number, or one a dimension. */
  public LazyConv3dImpl(long outChannels, long... kernelSize) {
    this(new Conv3dOptions(0, outChannels, kernelSize));
  }

  /** A layer as the options say, whose input channels are set by the first input. */
  public LazyConv3dImpl(Conv3dOptions options) {
    super(options, true);
  }
}
