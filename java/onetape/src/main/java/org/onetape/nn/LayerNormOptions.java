package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.DoublePointer;
import org.onetape.LongVector;
import org.onetape.Value;

/** How a {@link LayerNormImpl} is made. */
public final class LayerNormOptions extends Value {
  private final LongVector normalizedShape;
  private final DoublePointer eps = new DoublePointer(new double[] {1e-5});
  private final BoolPointer elementwiseAffine = new BoolPointer(true);

  /** Over the last dimensions, which have the given sizes. */
  public LayerNormOptions(LongVector normalizedShape) {
    this.normalizedShape = new LongVector(normalizedShape.get());
  }

  /** Over the last dimensions, which have the given sizes. */
  public LayerNormOptions(long... normalizedShape) {
    this(new LongVector(normalizedShape));
  }

  /** The sizes of the dimensions over which is normalised. */
  public LongVector normalized_shape() {
    return normalizedShape;
  }

  /** Sets the sizes of the dimensions over which is normalised; returns this. */
  public LayerNormOptions normalized_shape(LongVector sizes) {
    normalizedShape.put(sizes);
    return this;
  }

  /** What is added to the variance. */
  public DoublePointer eps() {
    return eps;
  }

  /** Sets what is added to the variance; returns this. */
  public LayerNormOptions eps(double value) {
    eps.put(value);
    return this;
  }

  /** Whether there are a weight and a bias. */
  public BoolPointer elementwise_affine() {
    return elementwiseAffine;
  }

  /** Sets whether there are a weight and a bias; returns this. */
  public LayerNormOptions elementwise_affine(boolean wanted) {
    elementwiseAffine.put(wanted);
    return this;
  }
}
