package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link MaxPool2dImpl} is made. */
public final class MaxPool2dOptions extends MaxPoolOptionsBase<MaxPool2dOptions> {
  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxPool2dOptions(LongPointer kernelSize) {
    this(kernelSize.toArray());
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxPool2dOptions(long... kernelSize) {
    super(2, kernelSize);
  }

  @Override
  MaxPool2dOptions self() {
    return this;
  }
}
