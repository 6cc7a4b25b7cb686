package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link AvgPool1dImpl} is made. */
public final class AvgPool1dOptions extends AvgPoolOptionsBase<AvgPool1dOptions> {
  /** Windows of this size, side by side: a number, or one a dimension. */
  public AvgPool1dOptions(LongPointer kernelSize) {
    this(kernelSize.toArray());
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public AvgPool1dOptions(long... kernelSize) {
    super(1, kernelSize);
  }

  @Override
  AvgPool1dOptions self() {
    return this;
  }
}
