package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Value;

/**
 * What the options of layers share that move a window over their input; O is the class of the
 * options themselves.
 */
public abstract class WindowOptionsBase<O extends WindowOptionsBase<O>> extends Value {
  final Expanded kernelSize;
  final Expanded stride;

  WindowOptionsBase(Expanded kernelSize, Expanded stride) {
    this.kernelSize = kernelSize;
    this.stride = stride;
  }

  abstract O self();

  /** The size of a window. */
  public LongPointer kernel_size() {
    return kernelSize.pointer();
  }

  /** Sets the size of a window: a number, or one a dimension; returns this. */
  public O kernel_size(LongPointer values) {
    kernelSize.put(values);
    return self();
  }

  /** Sets the size of a window: a number, or one a dimension; returns this. */
  public O kernel_size(long... values) {
    kernelSize.put(values);
    return self();
  }

  /** How far a window moves. */
  public LongPointer stride() {
    return stride.pointer();
  }

  /** Sets how far a window moves: a number, or one a dimension; returns this. */
  public O stride(LongPointer values) {
    stride.put(values);
    return self();
  }

  /** Sets how far a window moves: a number, or one a dimension; returns this. */
  public O stride(long... values) {
    stride.put(values);
    return self();
  }
}
