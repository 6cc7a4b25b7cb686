package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link CircularPad2dImpl} is made. */
public final class CircularPad2dOptions extends PadOptionsBase<CircularPad2dOptions> {
  /** So much before and after: a number, or all, for the last dimension first. */
  public CircularPad2dOptions(LongPointer padding) {
    this(padding.toArray());
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public CircularPad2dOptions(long... padding) {
    super(2, padding);
  }

  @Override
  CircularPad2dOptions self() {
    return this;
  }
}
