package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link MaxUnpool1dImpl} is made. */
public final class MaxUnpool1dOptions extends MaxUnpoolOptionsBase<MaxUnpool1dOptions> {
  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxUnpool1dOptions(LongPointer kernelSize) {
    this(kernelSize.toArray());
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxUnpool1dOptions(long... kernelSize) {
    super(1, kernelSize);
  }

  @Override
  MaxUnpool1dOptions self() {
    return this;
  }
}
