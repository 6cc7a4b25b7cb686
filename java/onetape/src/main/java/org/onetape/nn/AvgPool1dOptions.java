package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link AvgPool1dImpl} is made. */
public final class AvgPool1dOptions extends Value {
  final Expanded kernelSize;
  final Expanded stride;
  final Expanded padding = Expanded.of(1, 0);
  private final BoolPointer ceilMode = new BoolPointer(false);
  private final BoolPointer countIncludePad = new BoolPointer(true);

  /** Windows of this size, side by side: a number, or one a dimension. */
  public AvgPool1dOptions(LongPointer kernelSize) {
    this(kernelSize.toArray());
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public AvgPool1dOptions(long... kernelSize) {
    this.kernelSize = Expanded.of(1, kernelSize);
    stride = Expanded.of(1, kernelSize);
  }

  /** The size of a window. */
  public LongPointer kernel_size() {
    return kernelSize.pointer();
  }

  /** Sets the size of a window: a number, or one a dimension; returns this. */
  public AvgPool1dOptions kernel_size(LongPointer values) {
    kernelSize.put(values);
    return this;
  }

  /** Sets the size of a window: a number, or one a dimension; returns this. */
  public AvgPool1dOptions kernel_size(long... values) {
    kernelSize.put(values);
    return this;
  }

  /** How far a window moves. */
  public LongPointer stride() {
    return stride.pointer();
  }

  /** Sets how far a window moves: a number, or one a dimension; returns this. */
  public AvgPool1dOptions stride(LongPointer values) {
    stride.put(values);
    return this;
  }

  /** Sets how far a window moves: a number, or one a dimension; returns this. */
  public AvgPool1dOptions stride(long... values) {
    stride.put(values);
    return this;
  }

  /** How many zeros are put around the input. */
  public LongPointer padding() {
    return padding.pointer();
  }

  /** Sets how many zeros are put around the input: a number, or one a dimension; returns this. */
  public AvgPool1dOptions padding(LongPointer values) {
    padding.put(values);
    return this;
  }

  /** Sets how many zeros are put around the input: a number, or one a dimension; returns this. */
  public AvgPool1dOptions padding(long... values) {
    padding.put(values);
    return this;
  }

  /** Whether a window may go beyond the end. */
  public BoolPointer ceil_mode() {
    return ceilMode;
  }

  /** Sets whether a window may go beyond the end; returns this. */
  public AvgPool1dOptions ceil_mode(boolean value) {
    ceilMode.put(value);
    return this;
  }

  /** Whether the zeros count. */
  public BoolPointer count_include_pad() {
    return countIncludePad;
  }

  /** Sets whether the zeros count; returns this. */
  public AvgPool1dOptions count_include_pad(boolean value) {
    countIncludePad.put(value);
    return this;
  }
}
