package org.onetape.nn;

import org.onetape.Value;

/** No padding. */
public final class kValid extends Value {
  /** The padding. */
  public kValid() {}
}
