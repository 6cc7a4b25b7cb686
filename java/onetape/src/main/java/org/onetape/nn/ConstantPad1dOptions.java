package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link ConstantPad1dImpl} is made. */
public final class ConstantPad1dOptions extends ConstantPadOptionsBase<ConstantPad1dOptions> {
  /** So much before and after: a number, or all, for the last dimension first, of this value. */
  public ConstantPad1dOptions(LongPointer padding, double value) {
    this(padding.toArray(), value);
  }

  /** So much before and after, for the last dimension first, of this value. */
  public ConstantPad1dOptions(long[] padding, double value) {
    super(1, padding, value);
  }

  /** So much before and after, of this value. */
  public ConstantPad1dOptions(long padding, double value) {
    this(new long[] {padding}, value);
  }

  @Override
  ConstantPad1dOptions self() {
    return this;
  }
}
