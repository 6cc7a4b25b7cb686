package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link MaxPool1dImpl} is made. */
public final class MaxPool1dOptions extends Value {
  final Expanded kernelSize;
  final Expanded stride;
  final Expanded padding = Expanded.of(1, 0);
  final Expanded dilation = Expanded.of(1, 1);
  private final BoolPointer ceilMode = new BoolPointer(false);

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxPool1dOptions(LongPointer kernelSize) {
    this(kernelSize.toArray());
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxPool1dOptions(long... kernelSize) {
    this.kernelSize = Expanded.of(1, kernelSize);
    stride = Expanded.of(1, kernelSize);
  }

  /** The size of a window. */
  public LongPointer kernel_size() {
    return kernelSize.pointer();
  }

  /** Sets the size of a window: a number, or one a dimension; returns this. */
  public MaxPool1dOptions kernel_size(LongPointer values) {
    kernelSize.put(values);
    return this;
  }

  /** Sets the size of a window: a number, or one a dimension; returns this. */
  public MaxPool1dOptions kernel_size(long... values) {
    kernelSize.put(values);
    return this;
  }

  /** How far a window moves. */
  public LongPointer stride() {
    return stride.pointer();
  }

  /** Sets how far a window moves: a number, or one a dimension; returns this. */
  public MaxPool1dOptions stride(LongPointer values) {
    stride.put(values);
    return this;
  }

  /** Sets how far a window moves: a number, or one a dimension; returns this. */
  public MaxPool1dOptions stride(long... values) {
    stride.put(values);
    return this;
  }

  /** How much is put around the input. */
  public LongPointer padding() {
    return padding.pointer();
  }

  /** Sets how much is put around the input: a number, or one a dimension; returns this. */
  public MaxPool1dOptions padding(LongPointer values) {
    padding.put(values);
    return this;
  }

  /** Sets how much is put around the input: a number, or one a dimension; returns this. */
  public MaxPool1dOptions padding(long... values) {
    padding.put(values);
    return this;
  }

  /** The distance of a window's elements. */
  public LongPointer dilation() {
    return dilation.pointer();
  }

  /** Sets the distance of a window's elements: a number, or one a dimension; returns this. */
  public MaxPool1dOptions dilation(LongPointer values) {
    dilation.put(values);
    return this;
  }

  /** Sets the distance of a window's elements: a number, or one a dimension; returns this. */
  public MaxPool1dOptions dilation(long... values) {
    dilation.put(values);
    return this;
  }

  /** Whether a window may go beyond the end. */
  public BoolPointer ceil_mode() {
    return ceilMode;
  }

  /** Sets whether a window may go beyond the end; returns this. */
  public MaxPool1dOptions ceil_mode(boolean value) {
    ceilMode.put(value);
    return this;
  }
}
