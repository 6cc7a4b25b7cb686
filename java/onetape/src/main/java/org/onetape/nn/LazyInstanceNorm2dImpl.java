package org.onetape.nn;

/** A {@link InstanceNorm2dImpl} whose number of channels follows from its first input. */
public class LazyInstanceNorm2dImpl extends InstanceNorm2dImpl {
  /** A layer with weight, bias and running statistics. */
  public LazyInstanceNorm2dImpl() {
    this(new InstanceNormOptions(0).affine(true).track_running_stats(true));
  }

  /** A layer as the options say, whose channels are set by the first input. */
  public LazyInstanceNorm2dImpl(InstanceNormOptions options) {
    super(options, true);
  }
}
