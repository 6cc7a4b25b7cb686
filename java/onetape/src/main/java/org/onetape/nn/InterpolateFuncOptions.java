package org.onetape.nn;

import org.onetape.BoolOptional;
import org.onetape.LongVectorOptional;
import org.onetape.Value;

/** How {@link org.onetape.global.torch} brings lines, images or volumes to other sizes. */
public final class InterpolateFuncOptions extends Value {
  private final UpsampleOptions options = new UpsampleOptions();

  /** The nearest element; sizes or factors are still to be set. */
  public InterpolateFuncOptions() {}

  /** The sizes of the result, if they are given. */
  public LongVectorOptional size() {
    return options.size();
  }

  /** Sets the sizes of the result; returns this. */
  public InterpolateFuncOptions size(LongVectorOptional value) {
    options.size(value);
    return this;
  }

  /** Sets the sizes of the result: one for all dimensions, or one a dimension; returns this. */
  public InterpolateFuncOptions size(long... values) {
    options.size(values);
    return this;
  }

  /** Sets the factors of the sizes: one for all dimensions, or one a dimension; returns this. */
  public InterpolateFuncOptions scale_factor(double... values) {
    options.scale_factor(values);
    return this;
  }

  /** Sets how elements are found; returns this. */
  public InterpolateFuncOptions mode(InterpolateMode value) {
    options.mode(value);
    return this;
  }

  /** Whether the centres of the outer elements stay where they are, if that is said. */
  public BoolOptional align_corners() {
    return options.align_corners();
  }

  /** Sets whether the centres of the outer elements stay where they are; returns this. */
  public InterpolateFuncOptions align_corners(boolean value) {
    options.align_corners(value);
    return this;
  }

  /** The layer that does the same. */
  public UpsampleImpl layer() {
    return new UpsampleImpl(options);
  }
}
