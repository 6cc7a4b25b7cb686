package org.onetape.nn;

import org.onetape.LongOptional;
import org.onetape.LongPointer;

/** How a {@link AvgPool3dImpl} is made. */
public final class AvgPool3dOptions extends AvgPoolOptionsBase<AvgPool3dOptions> {
  private final LongOptional divisorOverride = new LongOptional();

  /** Windows of this size, side by side: a number, or one a dimension. */
  public AvgPool3dOptions(LongPointer kernelSize) {
    this(kernelSize.toArray());
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public AvgPool3dOptions(long... kernelSize) {
    super(3, kernelSize);
  }

  @Override
  AvgPool3dOptions self() {
    return this;
  }

  /** What sums are divided by instead of the number of elements, if anything. */
  public LongOptional divisor_override() {
    return divisorOverride;
  }

  /** Sets what sums are divided by instead of the number of elements; returns this. */
  public AvgPool3dOptions divisor_override(LongOptional value) {
    divisorOverride.put(value);
    return this;
  }

  /** Sets what sums are divided by instead of the number of elements; returns this. */
  public AvgPool3dOptions divisor_override(long value) {
    divisorOverride.put(value);
    return this;
  }
}
