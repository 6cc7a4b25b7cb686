package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link ZeroPad1dImpl} is made. */
public final class ZeroPad1dOptions extends PadOptionsBase<ZeroPad1dOptions> {
  /** So much before and after: a number, or all, for the last dimension first. */
  public ZeroPad1dOptions(LongPointer padding) {
    this(padding.toArray());
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public ZeroPad1dOptions(long... padding) {
    super(1, padding);
  }

  @Override
  ZeroPad1dOptions self() {
    return this;
  }
}
