package org.onetape.nn;

import org.onetape.BytePointer;
import org.onetape.Value;

/** How a {@link GELUImpl} is made. */
public final class GELUOptions extends Value {
  private String approximate = "none";

  /** The exact function. */
  public GELUOptions() {}

  /** How the function is approximated: {@code none} or {@code tanh}. */
  public BytePointer approximate() {
    return new BytePointer(approximate);
  }

  /** Sets how the function is approximated: {@code none} or {@code tanh}; returns this. */
  public GELUOptions approximate(String word) {
    approximate = word;
    return this;
  }

  /** Sets how the function is approximated: {@code none} or {@code tanh}; returns this. */
  public GELUOptions approximate(BytePointer word) {
    return approximate(word.getString());
  }

  String word() {
    return approximate;
  }
}
