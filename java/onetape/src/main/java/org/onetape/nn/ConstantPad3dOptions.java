package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link ConstantPad3dImpl} is made. */
public final class ConstantPad3dOptions extends ConstantPadOptionsBase<ConstantPad3dOptions> {
  /** So much before and after: a number, or all, for the last dimension first, of this value. */
  public ConstantPad3dOptions(LongPointer padding, double value) {
    this(padding.toArray(), value);
  }

  /** So much before and after, for the last dimension first, of this value. */
  public ConstantPad3dOptions(long[] padding, double value) {
    super(3, padding, value);
  }

  /** So much before and after, of this value. */
  public ConstantPad3dOptions(long padding, double value) {
    this(new long[] {padding}, value);
  }

  @Override
  ConstantPad3dOptions self() {
    return this;
  }
}
