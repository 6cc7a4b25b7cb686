package org.onetape.nn;

import org.onetape.DoublePointer;
import org.onetape.LongPointer;

/** How a {@link ConstantPad1dImpl} is made. */
public final class ConstantPad1dOptions extends PadOptionsBase<ConstantPad1dOptions> {
  private final DoublePointer value;

  /** So much before and after: a number, or all, for the last dimension first, of this value. */
  public ConstantPad1dOptions(LongPointer padding, double value) {
    this(padding.toArray(), value);
  }

  /** So much before and after, for the last dimension first, of this value. */
  public ConstantPad1dOptions(long[] padding, double value) {
    super(1, padding);
    this.value = new DoublePointer(new double[] {value});
  }

  /** So much before and after, of this value. */
  public ConstantPad1dOptions(long padding, double value) {
    this(new long[] {padding}, value);
  }

  /** What new elements are. */
  public DoublePointer value() {
    return value;
  }

  /** Sets what new elements are; returns this. */
  public ConstantPad1dOptions value(double newValue) {
    value.put(newValue);
    return this;
  }

  @Override
  ConstantPad1dOptions self() {
    return this;
  }
}
