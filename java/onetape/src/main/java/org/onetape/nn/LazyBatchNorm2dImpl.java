package org.onetape.nn;

/** A {@link BatchNorm2dImpl} whose number of channels follows from its first input. */
public class LazyBatchNorm2dImpl extends BatchNorm2dImpl {
  /** A layer with weight, bias and running statistics. */
  public LazyBatchNorm2dImpl() {
    this(new BatchNormOptions(0));
  }

  /** A layer as the options say, whose channels are set by the first input. */
  public LazyBatchNorm2dImpl(BatchNormOptions options) {
    super(options, true);
  }
}
