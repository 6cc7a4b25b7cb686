package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link FoldImpl} is made. */
public final class FoldOptions extends Value {
  final Expanded outputSize;
  final Expanded kernelSize;
  final Expanded dilation = Expanded.of(2, 1);
  final Expanded padding = Expanded.of(2, 0);
  final Expanded stride = Expanded.of(2, 1);

  /** Stretches of this size: a number, or height and width. */
  public FoldOptions(LongPointer outputSize, LongPointer kernelSize) {
    this(outputSize.toArray(), kernelSize.toArray());
  }

  /** Stretches of this size: a number, or height and width. */
  public FoldOptions(long[] outputSize, long... kernelSize) {
    this.outputSize = Expanded.of(2, outputSize);
    this.kernelSize = Expanded.of(2, kernelSize);
  }

  /** Height and width of the image. */
  public LongPointer output_size() {
    return outputSize.pointer();
  }

  /** Sets height and width of the image: a number, or two; returns this. */
  public FoldOptions output_size(LongPointer values) {
    outputSize.put(values);
    return this;
  }

  /** Sets height and width of the image: a number, or two; returns this. */
  public FoldOptions output_size(long... values) {
    outputSize.put(values);
    return this;
  }

  /** Height and width of a stretch. */
  public LongPointer kernel_size() {
    return kernelSize.pointer();
  }

  /** Sets height and width of a stretch: a number, or two; returns this. */
  public FoldOptions kernel_size(LongPointer values) {
    kernelSize.put(values);
    return this;
  }

  /** Sets height and width of a stretch: a number, or two; returns this. */
  public FoldOptions kernel_size(long... values) {
    kernelSize.put(values);
    return this;
  }

  /** The distance of elements within a stretch. */
  public LongPointer dilation() {
    return dilation.pointer();
  }

  /** Sets the distance of elements within a stretch: a number, or two; returns this. */
  public FoldOptions dilation(LongPointer values) {
    dilation.put(values);
    return this;
  }

  /** Sets the distance of elements within a stretch: a number, or two; returns this. */
  public FoldOptions dilation(long... values) {
    dilation.put(values);
    return this;
  }

  /** The zeros around the image. */
  public LongPointer padding() {
    return padding.pointer();
  }

  /** Sets the zeros around the image: a number, or two; returns this. */
  public FoldOptions padding(LongPointer values) {
    padding.put(values);
    return this;
  }

  /** Sets the zeros around the image: a number, or two; returns this. */
  public FoldOptions padding(long... values) {
    padding.put(values);
    return this;
  }

  /** How far the stretches are apart. */
  public LongPointer stride() {
    return stride.pointer();
  }

  /** Sets how far the stretches are apart: a number, or two; returns this. */
  public FoldOptions stride(LongPointer values) {
    stride.put(values);
    return this;
  }

  /** Sets how far the stretches are apart: a number, or two; returns this. */
  public FoldOptions stride(long... values) {
    stride.put(values);
    return this;
  }
}
