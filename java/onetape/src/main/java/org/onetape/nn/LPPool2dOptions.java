package org.onetape.nn;

import org.onetape.LongPointer;

/** How an {@link LPPool2dImpl} is made. */
public final class LPPool2dOptions extends LPPoolOptionsBase<LPPool2dOptions> {
  /** A norm of windows of this size, side by side: a number, or one a dimension. */
  public LPPool2dOptions(double normType, LongPointer kernelSize) {
    this(normType, kernelSize.toArray());
  }

  /** A norm of windows of this size, side by side: a number, or one a dimension. */
  public LPPool2dOptions(double normType, long... kernelSize) {
    super(2, normType, kernelSize);
  }

  @Override
  LPPool2dOptions self() {
    return this;
  }
}
