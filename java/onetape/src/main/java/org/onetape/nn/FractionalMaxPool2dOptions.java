package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link FractionalMaxPool2dImpl} is made. */
public final class FractionalMaxPool2dOptions
    extends FractionalMaxPoolOptionsBase<FractionalMaxPool2dOptions> {
  /** Windows of this size: a number, or one a dimension. */
  public FractionalMaxPool2dOptions(LongPointer kernelSize) {
    this(kernelSize.toArray());
  }

  /** Windows of this size: a number, or one a dimension. */
  public FractionalMaxPool2dOptions(long... kernelSize) {
    super(2, kernelSize);
  }

  @Override
  FractionalMaxPool2dOptions self() {
    return this;
  }
}
