package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link SoftmaxImpl} is made. */
public final class SoftmaxOptions extends Value {
  private final LongPointer dim;

  /** Over the given dimension. */
  public SoftmaxOptions(long dim) {
    this.dim = new LongPointer(new long[] {dim});
  }

  /** The dimension whose elements add up to one. */
  public LongPointer dim() {
    return dim;
  }

  /** Sets the dimension whose elements add up to one; returns this. */
  public SoftmaxOptions dim(long value) {
    dim.put(value);
    return this;
  }
}
