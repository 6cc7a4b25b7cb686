package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link ReflectionPad1dImpl} is made. */
public final class ReflectionPad1dOptions extends PadOptionsBase<ReflectionPad1dOptions> {
  /** So much before and after: a number, or all, for the last dimension first. */
  public ReflectionPad1dOptions(LongPointer padding) {
    this(padding.toArray());
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public ReflectionPad1dOptions(long... padding) {
    super(1, padding);
  }

  @Override
  ReflectionPad1dOptions self() {
    return this;
  }
}
