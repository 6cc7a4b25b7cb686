package org.onetape.nn;

import org.onetape.LongPointer;

/** How much a convolution over two dimensions puts around its input. */
public final class Conv2dPadding extends ConvPadding {
  /** None. */
  public Conv2dPadding() {
    super(2, 0);
  }

  /** The numbers: one, or one a dimension. */
  public Conv2dPadding(LongPointer values) {
    super(2, values.toArray());
  }

  /** The numbers: one, or one a dimension. */
  public Conv2dPadding(long... values) {
    super(2, values);
  }

  /** No padding. */
  public Conv2dPadding(kValid valid) {
    this();
    put(valid);
  }

  /** As much as makes the result as large as the input. */
  public Conv2dPadding(kSame same) {
    this();
    put(same);
  }
}
