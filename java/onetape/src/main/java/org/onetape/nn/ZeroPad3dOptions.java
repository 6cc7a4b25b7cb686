package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link ZeroPad3dImpl} is made. */
public final class ZeroPad3dOptions extends PadOptionsBase<ZeroPad3dOptions> {
  /** So much before and after: a number, or all, for the last dimension first. */
  public ZeroPad3dOptions(LongPointer padding) {
    this(padding.toArray());
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public ZeroPad3dOptions(long... padding) {
    super(3, padding);
  }

  @Override
  ZeroPad3dOptions self() {
    return this;
  }
}
