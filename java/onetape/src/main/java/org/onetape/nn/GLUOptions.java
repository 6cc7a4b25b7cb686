package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link GLUImpl} is made. */
public final class GLUOptions extends Value {
  private final LongPointer dim = new LongPointer(new long[] {-1});

  /** Along the last dimension. */
  public GLUOptions() {}

  /** Along the given dimension. */
  public GLUOptions(long dim) {
    dim(dim);
  }

  /** The dimension. */
  public LongPointer dim() {
    return dim;
  }

  /** Sets the dimension; returns this. */
  public GLUOptions dim(long value) {
    dim.put(value);
    return this;
  }
}
