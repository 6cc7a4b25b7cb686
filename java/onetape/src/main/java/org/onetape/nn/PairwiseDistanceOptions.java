package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.DoublePointer;
import org.onetape.Value;

/** How a {@link PairwiseDistanceImpl} is made. */
public final class PairwiseDistanceOptions extends Value {
  private final DoublePointer p = new DoublePointer(new double[] {2});
  private final DoublePointer eps = new DoublePointer(new double[] {1e-6});
  private final BoolPointer keepdim = new BoolPointer(false);

  /** The Euclidean distance. */
  public PairwiseDistanceOptions() {}

  /** The norm. */
  public DoublePointer p() {
    return p;
  }

  /** Sets the norm; returns this. */
  public PairwiseDistanceOptions p(double value) {
    p.put(value);
    return this;
  }

  /** What is added to differences. */
  public DoublePointer eps() {
    return eps;
  }

  /** Sets what is added to differences; returns this. */
  public PairwiseDistanceOptions eps(double value) {
    eps.put(value);
    return this;
  }

  /** Whether the dimension is kept, with size 1. */
  public BoolPointer keepdim() {
    return keepdim;
  }

  /** Sets whether the dimension is kept, with size 1; returns this. */
  public PairwiseDistanceOptions keepdim(boolean value) {
    keepdim.put(value);
    return this;
  }
}
