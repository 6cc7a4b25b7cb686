package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.DoubleOptional;
import org.onetape.LongVector;
import org.onetape.Value;

/** How an {@link RMSNormImpl} is made. */
public final class RMSNormOptions extends Value {
  private LongVector normalizedShape;
  private final DoubleOptional eps = new DoubleOptional();
  private final BoolPointer elementwiseAffine = new BoolPointer(true);

  /** Over the last dimensions, which have the given sizes. */
  public RMSNormOptions(LongVector normalizedShape) {
    this.normalizedShape = normalizedShape;
  }

  /** Over the last dimensions, which have the given sizes. */
  public RMSNormOptions(long... normalizedShape) {
    this(new LongVector(normalizedShape));
  }

  /** The sizes of the dimensions over which the mean is taken. */
  public LongVector normalized_shape() {
    return normalizedShape;
  }

  /** Sets the sizes of the dimensions over which the mean is taken; returns this. */
  public RMSNormOptions normalized_shape(LongVector value) {
    normalizedShape = value;
    return this;
  }

  /** What is added to the mean square; none for the precision of the input's elements. */
  public DoubleOptional eps() {
    return eps;
  }

  /** Sets what is added to the mean square; returns this. */
  public RMSNormOptions eps(double value) {
    eps.put(value);
    return this;
  }

  /** Whether there is a weight. */
  public BoolPointer elementwise_affine() {
    return elementwiseAffine;
  }

  /** Sets whether there is a weight; returns this. */
  public RMSNormOptions elementwise_affine(boolean value) {
    elementwiseAffine.put(value);
    return this;
  }
}
