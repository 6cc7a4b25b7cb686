package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link MaxUnpool2dImpl} is made. */
public final class MaxUnpool2dOptions extends MaxUnpoolOptionsBase<MaxUnpool2dOptions> {
  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxUnpool2dOptions(LongPointer kernelSize) {
    this(kernelSize.toArray());
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxUnpool2dOptions(long... kernelSize) {
    super(2, kernelSize);
  }

  @Override
  MaxUnpool2dOptions self() {
    return this;
  }
}
