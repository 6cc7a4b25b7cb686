package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link LogSoftmaxImpl} is made. */
public final class LogSoftmaxOptions extends Value {
  private final LongPointer dim;

  /** Over the given dimension. */
  public LogSoftmaxOptions(long dim) {
    this.dim = new LongPointer(new long[] {dim});
  }

  /** The dimension whose exponentials add up to one. */
  public LongPointer dim() {
    return dim;
  }

  /** Sets the dimension whose exponentials add up to one; returns this. */
  public LogSoftmaxOptions dim(long value) {
    dim.put(value);
    return this;
  }
}
