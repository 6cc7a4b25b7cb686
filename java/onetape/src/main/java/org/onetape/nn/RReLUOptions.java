package org.onetape.nn;

import org.onetape.DoublePointer;

/** How a {@link RReLUImpl} is made. */
public final class RReLUOptions extends InplaceOptionsBase<RReLUOptions> {
  private final DoublePointer lower = new DoublePointer(new double[] {1.0 / 8});
  private final DoublePointer upper = new DoublePointer(new double[] {1.0 / 3});

  /** The default numbers. */
  public RReLUOptions() {}

  @Override
  RReLUOptions self() {
    return this;
  }

  /** The least slope. */
  public DoublePointer lower() {
    return lower;
  }

  /** Sets the least slope; returns this. */
  public RReLUOptions lower(double value) {
    lower.put(value);
    return this;
  }

  /** The largest slope. */
  public DoublePointer upper() {
    return upper;
  }

  /** Sets the largest slope; returns this. */
  public RReLUOptions upper(double value) {
    upper.put(value);
    return this;
  }
}
