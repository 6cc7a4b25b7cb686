package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.DoublePointer;
import org.onetape.Value;

/** How a {@link DropoutImpl} is made. */
public final class DropoutOptions extends Value {
  private final DoublePointer p;
  private final BoolPointer inplace = new BoolPointer(false);

  /** A probability of one half. */
  public DropoutOptions() {
    this(0.5);
  }

  /** The given probability that an element is dropped. */
  public DropoutOptions(double p) {
    this.p = new DoublePointer(new double[] {p});
  }

  /** The probability that an element is dropped. */
  public DoublePointer p() {
    return p;
  }

  /** Sets the probability that an element is dropped; returns this. */
  public DropoutOptions p(double probability) {
    p.put(probability);
    return this;
  }

  /** Whether the input itself is changed. */
  public BoolPointer inplace() {
    return inplace;
  }

  /** Sets whether the input itself is changed; returns this. */
  public DropoutOptions inplace(boolean wanted) {
    inplace.put(wanted);
    return this;
  }
}
