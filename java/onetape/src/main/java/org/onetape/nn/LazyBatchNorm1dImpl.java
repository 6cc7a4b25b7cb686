package org.onetape.nn;

/** A {@link BatchNorm1dImpl} whose number of channels follows from its first input. */
public class LazyBatchNorm1dImpl extends BatchNorm1dImpl {
  /** A layer with weight, bias and running statistics. */
  public LazyBatchNorm1dImpl() {
    this(new BatchNormOptions(0));
  }

  /** A layer as the options say, whose channels are set by the first input. */
  public LazyBatchNorm1dImpl(BatchNormOptions options) {
    super(options, true);
  }
}
