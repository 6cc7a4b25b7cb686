package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link ReflectionPad3dImpl} is made. */
public final class ReflectionPad3dOptions extends PadOptionsBase<ReflectionPad3dOptions> {
  /** So much before and after: a number, or all, for the last dimension first. */
  public ReflectionPad3dOptions(LongPointer padding) {
    this(padding.toArray());
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public ReflectionPad3dOptions(long... padding) {
    super(3, padding);
  }

  @Override
  ReflectionPad3dOptions self() {
    return this;
  }
}
