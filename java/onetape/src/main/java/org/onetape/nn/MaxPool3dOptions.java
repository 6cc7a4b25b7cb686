package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link MaxPool3dImpl} is made. */
public final class MaxPool3dOptions extends MaxPoolOptionsBase<MaxPool3dOptions> {
  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxPool3dOptions(LongPointer kernelSize) {
    this(kernelSize.toArray());
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxPool3dOptions(long... kernelSize) {
    super(3, kernelSize);
  }

  @Override
  MaxPool3dOptions self() {
    return this;
  }
}
