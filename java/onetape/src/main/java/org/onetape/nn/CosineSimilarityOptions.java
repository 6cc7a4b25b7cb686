package org.onetape.nn;

import org.onetape.DoublePointer;
import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link CosineSimilarityImpl} is made. */
public final class CosineSimilarityOptions extends Value {
  private final LongPointer dim = new LongPointer(new long[] {1});
  private final DoublePointer eps = new DoublePointer(new double[] {1e-8});

  /** Along dimension 1. */
  public CosineSimilarityOptions() {}

  /** The dimension of the vectors. */
  public LongPointer dim() {
    return dim;
  }

  /** Sets the dimension of the vectors; returns this. */
  public CosineSimilarityOptions dim(long value) {
    dim.put(value);
    return this;
  }

  /** What smaller norms count as. */
  public DoublePointer eps() {
    return eps;
  }

  /** Sets what smaller norms count as; returns this. */
  public CosineSimilarityOptions eps(double value) {
    eps.put(value);
    return this;
  }
}
