package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.LongVector;
import org.onetape.Value;

/** How an {@link UnflattenImpl} is made. */
public final class UnflattenOptions extends Value {
  private final LongPointer dim;
  private LongVector sizes;

  /** A dimension, and the sizes that it becomes. */
  public UnflattenOptions(long dim, LongVector sizes) {
    this.dim = new LongPointer(new long[] {dim});
    this.sizes = sizes;
  }

  /** A dimension, and the sizes that it becomes. */
  public UnflattenOptions(long dim, long... sizes) {
    this(dim, new LongVector(sizes));
  }

  /** The dimension. */
  public LongPointer dim() {
    return dim;
  }

  /** Sets the dimension; returns this. */
  public UnflattenOptions dim(long value) {
    dim.put(value);
    return this;
  }

  /** The sizes that it becomes. */
  public LongVector sizes() {
    return sizes;
  }

  /** Sets the sizes that it becomes; returns this. */
  public UnflattenOptions sizes(LongVector value) {
    sizes = value;
    return this;
  }
}
