package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.LongOptional;
import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link AvgPool2dImpl} is made. */
public final class AvgPool2dOptions extends Value {
  final Expanded kernelSize;
  final Expanded stride;
  final Expanded padding = Expanded.of(2, 0);
  private final BoolPointer ceilMode = new BoolPointer(false);
  private final BoolPointer countIncludePad = new BoolPointer(true);
  private final LongOptional divisorOverride = new LongOptional();

  /** Windows of this size, side by side: a number, or one a dimension. */
  public AvgPool2dOptions(LongPointer kernelSize) {
    this(kernelSize.toArray());
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public AvgPool2dOptions(long... kernelSize) {
    this.kernelSize = Expanded.of(2, kernelSize);
    stride = Expanded.of(2, kernelSize);
  }

  /** The size of a window. */
  public LongPointer kernel_size() {
    return kernelSize.pointer();
  }

  /** Sets the size of a window: a number, or one a dimension; returns this. */
  public AvgPool2dOptions kernel_size(LongPointer values) {
    kernelSize.put(values);
    return this;
  }

  /** Sets the size of a window: a number, or one a dimension; returns this. */
  public AvgPool2dOptions kernel_size(long... values) {
    kernelSize.put(values);
    return this;
  }

  /** How far a window moves. */
  public LongPointer stride() {
    return stride.pointer();
  }

  /** Sets how far a window moves: a number, or one a dimension; returns this. */
  public AvgPool2dOptions stride(LongPointer values) {
    stride.put(values);
    return this;
  }

  /** Sets how far a window moves: a number, or one a dimension; returns this. */
  public AvgPool2dOptions stride(long... values) {
    stride.put(values);
    return this;
  }

  /** How many zeros are put around the input. */
  public LongPointer padding() {
    return padding.pointer();
  }

  /** Sets how many zeros are put around the input: a number, or one a dimension; returns this. */
  public AvgPool2dOptions padding(LongPointer values) {
    padding.put(values);
    return this;
  }

  /** Sets how many zeros are put around the input: a number, or one a dimension; returns this. */
  public AvgPool2dOptions padding(long... values) {
    padding.put(values);
    return this;
  }

  /** Whether a window may go beyond the end. */
  public BoolPointer ceil_mode() {
    return ceilMode;
  }

  /** Sets whether a window may go beyond the end; returns this. */
  public AvgPool2dOptions ceil_mode(boolean value) {
    ceilMode.put(value);
    return this;
  }

  /** Whether the zeros count. */
  public BoolPointer count_include_pad() {
    return countIncludePad;
  }

  /** Sets whether the zeros count; returns this. */
  public AvgPool2dOptions count_include_pad(boolean value) {
    countIncludePad.put(value);
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
