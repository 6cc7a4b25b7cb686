package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link MaxPool1dImpl} is made. */
public final class MaxPool1dOptions extends MaxPoolOptionsBase<MaxPool1dOptions> {
  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxPool1dOptions(LongPointer kernelSize) {
    this(kernelSize.toArray());
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxPool1dOptions(long... kernelSize) {
    super(1, kernelSize);
  }

  @Override
  MaxPool1dOptions self() {
    return this;
  }
}
