package org.onetape.nn;

import org.onetape.DoublePointer;

/** How a {@link HardtanhImpl} is made. */
public final class HardtanhOptions extends InplaceOptionsBase<HardtanhOptions> {
  private final DoublePointer minVal = new DoublePointer(new double[] {-1});
  private final DoublePointer maxVal = new DoublePointer(new double[] {1});

  /** The default numbers. */
  public HardtanhOptions() {}

  @Override
  HardtanhOptions self() {
    return this;
  }

  /** The least value. */
  public DoublePointer min_val() {
    return minVal;
  }

  /** Sets the least value; returns this. */
  public HardtanhOptions min_val(double value) {
    minVal.put(value);
    return this;
  }

  /** The largest value. */
  public DoublePointer max_val() {
    return maxVal;
  }

  /** Sets the largest value; returns this. */
  public HardtanhOptions max_val(double value) {
    maxVal.put(value);
    return this;
  }
}
