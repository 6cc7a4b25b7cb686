package org.onetape.nn;

import org.onetape.DoublePointer;

/** What the options of constant paddings share; O is the class of the options themselves. */
public abstract class ConstantPadOptionsBase<O extends ConstantPadOptionsBase<O>>
    extends PadOptionsBase<O> {
  private final DoublePointer value;

  ConstantPadOptionsBase(int dims, long[] padding, double value) {
    super(dims, padding);
    this.value = new DoublePointer(new double[] {value});
  }

  /** What new elements are. */
  public DoublePointer value() {
    return value;
  }

  /** Sets what new elements are; returns this. */
  public O value(double newValue) {
    value.put(newValue);
    return self();
  }
}
