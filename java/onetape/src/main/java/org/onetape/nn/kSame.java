package org.onetape.nn;

import org.onetape.Value;

/** As much padding as makes the result as large as the input. */
public final class kSame extends Value {
  /** The padding. */
  public kSame() {}
}
