package org.onetape.nn;

import org.onetape.DoublePointer;
import org.onetape.Value;

/** How a {@link SoftshrinkImpl} is made. */
public final class SoftshrinkOptions extends Value {
  private final DoublePointer lambda = new DoublePointer(new double[] {0.5});

  /** Half a unit to each side. */
  public SoftshrinkOptions() {}

  /** The given width to each side. */
  public SoftshrinkOptions(double lambda) {
    lambda(lambda);
  }

  /** Half the width of the zone of zeros. */
  public DoublePointer lambda() {
    return lambda;
  }

  /** Sets half the width of the zone of zeros; returns this. */
  public SoftshrinkOptions lambda(double value) {
    lambda.put(value);
    return this;
  }
}
