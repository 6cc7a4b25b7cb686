package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link ReflectionPad2dImpl} is made. */
public final class ReflectionPad2dOptions extends PadOptionsBase<ReflectionPad2dOptions> {
  /** So much before and after: a number, or all, for the last dimension first. */
  public ReflectionPad2dOptions(LongPointer padding) {
    this(padding.toArray());
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public ReflectionPad2dOptions(long... padding) {
    super(2, padding);
  }

  @Override
  ReflectionPad2dOptions self() {
    return this;
  }
}
