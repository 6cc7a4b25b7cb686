package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link SoftminImpl} is made. */
public final class SoftminOptions extends Value {
  private final LongPointer dim = new LongPointer(new long[] {0});

  /** Over the given dimension. */
  public SoftminOptions(long dim) {
    dim(dim);
  }

  /** The dimension whose elements add up to one. */
  public LongPointer dim() {
    return dim;
  }

  /** Sets the dimension whose elements add up to one; returns this. */
  public SoftminOptions dim(long value) {
    dim.put(value);
    return this;
  }
}
