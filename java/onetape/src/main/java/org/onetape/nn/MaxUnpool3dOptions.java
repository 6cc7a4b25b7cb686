package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link MaxUnpool3dImpl} is made. */
public final class MaxUnpool3dOptions extends MaxUnpoolOptionsBase<MaxUnpool3dOptions> {
  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxUnpool3dOptions(LongPointer kernelSize) {
    this(kernelSize.toArray());
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxUnpool3dOptions(long... kernelSize) {
    super(3, kernelSize);
  }

  @Override
  MaxUnpool3dOptions self() {
    return this;
  }
}
