package org.onetape.nn;

import org.onetape.LongPointer;

/** A {@link Conv2dImpl} whose number of channels follows from its first input. */
public class LazyConv2dImpl extends Conv2dImpl {
  /** To so many channels, by a kernel of this size: a number, or one a dimension. */
  public LazyConv2dImpl(long outChannels, LongPointer kernelSize) {
    this(new Conv2dOptions(0, outChannels, kernelSize));
  }

  /** To so many channels, by a kernel of this size: a number, or one a dimension. */
  public LazyConv2dImpl(long outChannels, long... kernelSize) {
    this(new Conv2dOptions(0, outChannels, kernelSize));
  }

  /** A layer as the options say, whose input channels are set by the first input. */
  public LazyConv2dImpl(Conv2dOptions options) {
    super(options, true);
  }
}
