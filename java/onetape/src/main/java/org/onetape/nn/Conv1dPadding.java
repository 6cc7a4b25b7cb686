package org.onetape.nn;

import org.onetape.LongPointer;

/** How much a convolution over one dimension puts around its input. */
public final class Conv1dPadding extends ConvPadding {
  /** None. */
  public Conv1dPadding() {
    super(1, 0);
  }

  /** The numbers: one, or one a dimension. */
  public Conv1dPadding(LongPointer values) {
    super(1, values.toArray());
  }

  /** The numbers: one, or one a dimension. */
  public Conv1dPadding(long... values) {
    super(1, values);
  }

  /** No padding. */
  public Conv1dPadding(kValid valid) {
    this();
    put(valid);
  }

  /** As much as makes the result as large as the input. */
  public Conv1dPadding(kSame same) {
    this();
    put(same);
  }
}
