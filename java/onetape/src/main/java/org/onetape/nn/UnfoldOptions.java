package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Value;

/** How an {@link UnfoldImpl} is made. */
public final class UnfoldOptions extends Value {
  final Expanded kernelSize;
  final Expanded dilation = Expanded.of(2, 1);
  final Expanded padding = Expanded.of(2, 0);
  final Expanded stride = Expanded.of(2, 1);

  /** Stretches of this size: a number, or height and width. */
  public UnfoldOptions(LongPointer kernelSize) {
    this(kernelSize.toArray());
  }

  /** Stretches of this size: a number, or height and width. */
  public UnfoldOptions(long... kernelSize) {
    this.kernelSize = Expanded.of(2, kernelSize);
  }

  /** Height and width of a stretch. */
  public LongPointer kernel_size() {
    return kernelSize.pointer();
  }

  /** Sets height and width of a stretch: a number, or two; returns this. */
  public UnfoldOptions kernel_size(LongPointer values) {
    kernelSize.put(values);
    return this;
  }

  /** Sets height and width of a stretch: a number, or two; returns this. */
  public UnfoldOptions kernel_size(long... values) {
    kernelSize.put(values);
    return this;
  }

  /** The distance of elements within a stretch. */
  public LongPointer dilation() {
    return dilation.pointer();
  }

  /** Sets the distance of elements within a stretch: a number, or two; returns this. */
  public UnfoldOptions dilation(LongPointer values) {
    dilation.put(values);
    return this;
  }

  /** Sets the distance of elements within a stretch: a number, or two; returns this. */
  public UnfoldOptions dilation(long... values) {
    dilation.put(values);
    return this;
  }

  /** The zeros around the image. */
  public LongPointer padding() {
    return padding.pointer();
  }

  /** Sets the zeros around the image: a number, or two; returns this. */
  public UnfoldOptions padding(LongPointer values) {
    padding.put(values);
    return this;
  }

  /** Sets the zeros around the image: a number, or two; returns this. */
  public UnfoldOptions padding(long... values) {
    padding.put(values);
    return this;
  }

  /** How far the stretches are apart. */
  public LongPointer stride() {
    return stride.pointer();
  }

  /** Sets how far the stretches are apart: a number, or two; returns this. */
  public UnfoldOptions stride(LongPointer values) {
    stride.put(values);
    return this;
  }

  /** Sets how far the stretches are apart: a number, or two; returns this. */
  public UnfoldOptions stride(long... values) {
    stride.put(values);
    return this;
  }
}
