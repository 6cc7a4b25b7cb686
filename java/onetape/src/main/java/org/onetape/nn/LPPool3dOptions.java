package org.onetape.nn;

import org.onetape.LongPointer;

/** How an {@link LPPool3dImpl} is made. */
public final class LPPool3dOptions extends LPPoolOptionsBase<LPPool3dOptions> {
  /** A norm of windows of this size, side by side: a number, or one a dimension. */
  public LPPool3dOptions(double normType, LongPointer kernelSize) {
    this(normType, kernelSize.toArray());
  }

  /** A norm of windows of this size, side by side: a number, or one a dimension. */
  public LPPool3dOptions(double normType, long... kernelSize) {
    super(3, normType, kernelSize);
  }

  @Override
  LPPool3dOptions self() {
    return this;
  }
}
