package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link FlattenImpl} is made. */
public final class FlattenOptions extends Value {
  private final LongPointer startDim = new LongPointer(new long[] {1});
  private final LongPointer endDim = new LongPointer(new long[] {-1});

  /** Every dimension but the first becomes one. */
  public FlattenOptions() {}

  /** The first dimension that is joined. */
  public LongPointer start_dim() {
    return startDim;
  }

  /** Sets the first dimension that is joined; returns this. */
  public FlattenOptions start_dim(long value) {
    startDim.put(value);
    return this;
  }

  /** The last dimension that is joined. */
  public LongPointer end_dim() {
    return endDim;
  }

  /** Sets the last dimension that is joined; returns this. */
  public FlattenOptions end_dim(long value) {
    endDim.put(value);
    return this;
  }
}
