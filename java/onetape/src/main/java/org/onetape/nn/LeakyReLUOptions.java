package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.DoublePointer;
import org.onetape.Value;

/** How a {@link LeakyReLUImpl} is made. */
public final class LeakyReLUOptions extends Value {
  private final DoublePointer negativeSlope = new DoublePointer(new double[] {0.01});
  private final BoolPointer inplace = new BoolPointer(new boolean[] {false});

  /** The default slope of 0.01. */
  public LeakyReLUOptions() {}

  /** The slope below zero. */
  public DoublePointer negative_slope() {
    return negativeSlope;
  }

  /** Sets the slope below zero; returns this. */
  public LeakyReLUOptions negative_slope(double value) {
    negativeSlope.put(value);
    return this;
  }

  /** Whether the input itself is changed. */
  public BoolPointer inplace() {
    return inplace;
  }

  /** Sets whether the input itself is changed; returns this. */
  public LeakyReLUOptions inplace(boolean value) {
    inplace.put(value);
    return this;
  }
}
