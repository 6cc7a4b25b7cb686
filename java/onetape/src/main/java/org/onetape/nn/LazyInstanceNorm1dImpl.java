package org.onetape.nn;

/** A {@link InstanceNorm1dImpl} whose number of channels follows from its first input. */
public class LazyInstanceNorm1dImpl extends InstanceNorm1dImpl {
  /** A layer with weight, bias and running statistics. */
  public LazyInstanceNorm1dImpl() {
    this(new InstanceNormOptions(0).affine(true).track_running_stats(true));
  }

  /** A layer as the options say, whose channels are set by the first input. */
  public LazyInstanceNorm1dImpl(InstanceNormOptions options) {
    super(options, true);
  }
}
