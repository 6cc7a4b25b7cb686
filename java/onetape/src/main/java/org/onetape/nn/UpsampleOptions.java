package org.onetape.nn;

import org.onetape.BoolOptional;
import org.onetape.LongVector;
import org.onetape.LongVectorOptional;
import org.onetape.Value;

/** How an {@link UpsampleImpl} is made. */
public final class UpsampleOptions extends Value {
  private final LongVectorOptional size = new LongVectorOptional();
  private double[] scaleFactor;
  private String mode = "nearest";
  private final BoolOptional alignCorners = new BoolOptional();

  /** The mode {@code nearest}; sizes or factors are still to be set. */
  public UpsampleOptions() {}

  /** The sizes of the result, if they are given. */
  public LongVectorOptional size() {
    return size;
  }

  /** Sets the sizes of the result; returns this. */
  public UpsampleOptions size(LongVectorOptional value) {
    size.put(value);
    return this;
  }

  /** Sets the sizes of the result: one for all dimensions, or one a dimension; returns this. */
  public UpsampleOptions size(long... values) {
    size.put(new LongVector(values));
    return this;
  }

  double[] scaleFactor() {
    return scaleFactor;
  }

  /** Sets the factors of the sizes: one for all dimensions, or one a dimension; returns this. */
  public UpsampleOptions scale_factor(double... values) {
    scaleFactor = values.clone();
    return this;
  }

  /** How elements are found. */
  public String mode() {
    return mode;
  }

  /**
   * Sets how elements are found: {@code nearest}, {@code nearest-exact}, {@code area}, {@code
   * linear}, {@code bilinear}, {@code bicubic} or {@code trilinear}; returns this.
   */
  public UpsampleOptions mode(String value) {
    mode = value;
    return this;
  }

  /** Sets how elements are found; returns this. */
  public UpsampleOptions mode(InterpolateMode value) {
    return mode(value.toString());
  }

  /** Whether the centres of the outer elements stay where they are, if that is said. */
  public BoolOptional align_corners() {
    return alignCorners;
  }

  /** Sets whether the centres of the outer elements stay where they are; returns this. */
  public UpsampleOptions align_corners(boolean value) {
    alignCorners.put(value);
    return this;
  }
}
