package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link ConstantPad2dImpl} is made. */
public final class ConstantPad2dOptions extends ConstantPadOptionsBase<ConstantPad2dOptions> {
  /** So much before and after: a number, or all, for the last dimension first, of this value. */
  public ConstantPad2dOptions(LongPointer padding, double value) {
    this(padding.toArray(), value);
  }

  /** So much before and after, for the last dimension first, of this value. */
  public ConstantPad2dOptions(long[] padding, double value) {
    super(2, padding, value);
  }

  /** So much before and after, of this value. */
  public ConstantPad2dOptions(long padding, double value) {
    this(new long[] {padding}, value);
  }

  @Override
  ConstantPad2dOptions self() {
    return this;
  }
}
