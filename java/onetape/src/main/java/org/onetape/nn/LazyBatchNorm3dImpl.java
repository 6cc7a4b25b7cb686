package org.onetape.nn;

/** A {@link BatchNorm3dImpl} whose number of channels follows from its first input. */
public class LazyBatchNorm3dImpl extends BatchNorm3dImpl {
  /** A layer with weight, bias and running statistics. */
  public LazyBatchNorm3dImpl() {
    this(new BatchNormOptions(0));
  }

  /** A layer as the options say, whose channels are set by the first input. */
  public LazyBatchNorm3dImpl(BatchNormOptions options) {
    super(options, true);
  }
}
