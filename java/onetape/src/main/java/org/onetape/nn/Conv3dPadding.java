package org.onetape.nn;

import org.onetape.LongPointer;

/** How much a convolution over three dimensions puts around its input. */
public final class Conv3dPadding extends ConvPadding {
  /** None. */
  public Conv3dPadding() {
    super(3, 0);
  }

  /** The numbers: one, or one a dimension. */
  public Conv3dPadding(LongPointer values) {
    super(3, values.toArray());
  }

  /** The numbers: one, or one a dimension. */
  public Conv3dPadding(long... values) {
    super(3, values);
  }

  /** No padding. */
  public Conv3dPadding(kValid valid) {
    this();
    put(valid);
  }

  /** As much as makes the result as large as the input. */
  public Conv3dPadding(kSame same) {
    this();
    put(same);
  }
}
