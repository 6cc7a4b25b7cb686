package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link FractionalMaxPool3dImpl} is made. */
public final class FractionalMaxPool3dOptions
    extends FractionalMaxPoolOptionsBase<FractionalMaxPool3dOptions> {
  /** Windows of this size: a number, or one a dimension. */
  public FractionalMaxPool3dOptions(LongPointer kernelSize) {
    this(kernelSize.toArray());
  }

  /** Windows of this size: a number, or one a dimension. */
  public FractionalMaxPool3dOptions(long... kernelSize) {
    super(3, kernelSize);
  }

  @Override
  FractionalMaxPool3dOptions self() {
    return this;
  }
}
