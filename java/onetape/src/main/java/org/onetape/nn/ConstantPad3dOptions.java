package org.onetape.nn;

import org.onetape.DoublePointer;
import org.onetape.LongPointer;

/** How a {@link ConstantPad3dImpl} is made. */
public final class ConstantPad3dOptions extends PadOptionsBase<ConstantPad3dOptions> {
  private final DoublePointer value;

  /** So much before and after: a number, or all, for the last dimension first, of this value. */
  public ConstantPad3dOptions(LongPointer padding, double value) {
    this(padding.toArray(), value);
  }

  /** So much before and after, for the last dimension first, of this value. */
  public ConstantPad3dOptions(long[] padding, double value) {
    super(3, padding);
    this.value = new DoublePointer(new double[] {value});
  }

  /** So much before and after, of this value. */
  public ConstantPad3dOptions(long padding, double value) {
    this(new long[] {padding}, value);
  }

  /** What new elements are. */
  public DoublePointer value() {
    return value;
  }

  /** Sets what new elements are; returns this. */
  public ConstantPad3dOptions value(double newValue) {
    value.put(newValue);
    return this;
  }

  @Override
  ConstantPad3dOptions self() {
    return this;
  }
}
