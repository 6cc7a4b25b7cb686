package org.onetape.nn;

import org.onetape.DoublePointer;
import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link NormalizeFuncImpl} is made. */
public final class NormalizeFuncOptions extends Value {
  private final DoublePointer p = new DoublePointer(new double[] {2});
  private final LongPointer dim = new LongPointer(new long[] {1});
  private final DoublePointer eps = new DoublePointer(new double[] {1e-12});

  /** The Euclidean norm along dimension 1. */
  public NormalizeFuncOptions() {}

  /** The norm. */
  public DoublePointer p() {
    return p;
  }

  /** Sets the norm; returns this. */
  public NormalizeFuncOptions p(double value) {
    p.put(value);
    return this;
  }

  /** The dimension of the vectors. */
  public LongPointer dim() {
    return dim;
  }

  /** Sets the dimension of the vectors; returns this. */
  public NormalizeFuncOptions dim(long value) {
    dim.put(value);
    return this;
  }

  /** The least norm. */
  public DoublePointer eps() {
    return eps;
  }

  /** Sets the least norm; returns this. */
  public NormalizeFuncOptions eps(double value) {
    eps.put(value);
    return this;
  }
}
