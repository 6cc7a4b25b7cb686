package org.onetape.nn;

import org.onetape.Value;

/** The hyperbolic tangent, as a name of a function. */
public final class kTanh extends Value {
  /** The name. */
  public kTanh() {}
}
