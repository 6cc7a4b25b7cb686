package org.onetape.nn;

import org.onetape.Value;

/** The largest elements. */
public final class kMax extends Value {
  /** The mode. */
  public kMax() {}

  @Override
  public String toString() {
    return "max";
  }
}
