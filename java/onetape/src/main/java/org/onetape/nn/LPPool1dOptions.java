package org.onetape.nn;

import org.onetape.LongPointer;

/** How an {@link LPPool1dImpl} is made. */
public final class LPPool1dOptions extends LPPoolOptionsBase<LPPool1dOptions> {
  /** A norm of windows of this size, side by side: a number, or one a dimension. */
  public LPPool1dOptions(double normType, LongPointer kernelSize) {
    this(normType, kernelSize.toArray());
  }

  /** A norm of windows of this size, side by side: a number, or one a dimension. */
  public LPPool1dOptions(double normType, long... kernelSize) {
    super(1, normType, kernelSize);
  }

  @Override
  LPPool1dOptions self() {
    return this;
  }
}
