package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link CircularPad1dImpl} is made. */
public final class CircularPad1dOptions extends PadOptionsBase<CircularPad1dOptions> {
  /** So much before and after: a number, or all, for the last dimension first. */
  public CircularPad1dOptions(LongPointer padding) {
    this(padding.toArray());
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public CircularPad1dOptions(long... padding) {
    super(1, padding);
  }

  @Override
  CircularPad1dOptions self() {
    return this;
  }
}
