package org.onetape.nn;

/** A {@link InstanceNorm3dImpl} whose number of channels follows from its first input. */
public class LazyInstanceNorm3dImpl extends InstanceNorm3dImpl {
  /** A layer with weight, bias and running statistics. */
  public LazyInstanceNorm3dImpl() {
    this(new InstanceNormOptions(0).affine(true).track_running_stats(true));
  }

  /** A layer as the options say, whose channels are set by the first input. */
  public LazyInstanceNorm3dImpl(InstanceNormOptions options) {
    super(options, true);
  }
}
