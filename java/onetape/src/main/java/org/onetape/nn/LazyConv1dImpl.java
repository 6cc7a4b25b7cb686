package org.onetape.nn;

import org.onetape.LongPointer;

/** A {@link Conv1dImpl} whose number of channels follows from its first input. */
public class LazyConv1dImpl extends Conv1dImpl {
  /** To so many channels, by a kernel of this size: a number, or one a dimension. */
  public LazyConv1dImpl(long outChannels, LongPointer kernelSize) {
    this(new Conv1dOptions(0, outChannels, kernelSize));
  }

  /** To so many channels, by a kernel of this size: a number, or one a dimension. */
  public LazyConv1dImpl(long outChannels, long... kernelSize) {
    this(new Conv1dOptions(0, outChannels, kernelSize));
  }

  /** A layer as the options say, whose input channels are set by the first input. */
  public LazyConv1dImpl(Conv1dOptions options) {
    super(options, true);
  }
}
