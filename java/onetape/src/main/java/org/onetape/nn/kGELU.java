package org.onetape.nn;

import org.onetape.Value;

/** The Gaussian error linear unit, as a name of a function. */
public final class kGELU extends Value {
  /** The name. */
  public kGELU() {}
}
