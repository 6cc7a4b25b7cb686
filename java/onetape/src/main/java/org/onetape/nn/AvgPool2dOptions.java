package org.onetape.nn;

import org.onetape.LongOptional;
import org.onetape.LongPointer;

/** How a {@link AvgPool2dImpl} is made. */
public final class AvgPool2dOptions extends AvgPoolOptionsBase<AvgPool2dOptions> {
  private final LongOptional divisorOverride = new LongOptional();

  /** Windows of this size, side by side: a number, or one a dimension. */
  public AvgPool2dOptions(LongPointer kernelSize) {
    this(kernelSize.toArray());
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public AvgPool2dOptions(long... kernelSize) {
    super(2, kernelSize);
  }

  @Override
  AvgPool2dOptions self() {
    return this;
  }

  /** What sums are divided by instead of the number of elements, if anything. */
  public LongOptional divisor_override() {
    return divisorOverride;
  }

  /** Sets what sums are divided by instead of the number of elements; returns this. */
  public AvgPool2dOptions divisor_override(LongOptional value) {
    divisorOverride.put(value);
    return this;
  }

  /** Sets what sums are divided by instead of the number of elements; returns this. */
  public AvgPool2dOptions divisor_override(long value) {
    divisorOverride.put(value);
    return this;
  }
}
