package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link ZeroPad2dImpl} is made. */
public final class ZeroPad2dOptions extends PadOptionsBase<ZeroPad2dOptions> {
  /** So much before and after: a number, or all, for the last dimension first. */
  public ZeroPad2dOptions(LongPointer padding) {
    this(padding.toArray());
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public ZeroPad2dOptions(long... padding) {
    super(2, padding);
  }

  @Override
  ZeroPad2dOptions self() {
    return this;
  }
}
