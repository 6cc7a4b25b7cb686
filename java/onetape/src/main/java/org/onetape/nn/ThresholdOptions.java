package org.onetape.nn;

import org.onetape.DoublePointer;

/** How a {@link ThresholdImpl} is made. */
public final class ThresholdOptions extends InplaceOptionsBase<ThresholdOptions> {
  private final DoublePointer threshold = new DoublePointer(new double[] {0});
  private final DoublePointer value = new DoublePointer(new double[] {0});

  /** The given threshold, and what stands for smaller numbers. */
  public ThresholdOptions(double threshold, double value) {
    threshold(threshold);
    value(value);
  }

  @Override
  ThresholdOptions self() {
    return this;
  }

  /** The threshold. */
  public DoublePointer threshold() {
    return threshold;
  }

  /** Sets the threshold; returns this. */
  public ThresholdOptions threshold(double value) {
    threshold.put(value);
    return this;
  }

  /** What stands for smaller numbers. */
  public DoublePointer value() {
    return value;
  }

  /** Sets what stands for smaller numbers; returns this. */
  public ThresholdOptions value(double value) {
    this.value.put(value);
    return this;
  }
}
