package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link CircularPad3dImpl} is made. */
public final class CircularPad3dOptions extends PadOptionsBase<CircularPad3dOptions> {
  /** So much before and after: a number, or all, for the last dimension first. */
  public CircularPad3dOptions(LongPointer padding) {
    this(padding.toArray());
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public CircularPad3dOptions(long... padding) {
    super(3, padding);
  }

  @Override
  CircularPad3dOptions self() {
    return this;
  }
}
