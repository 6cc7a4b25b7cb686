package org.onetape.nn;

/** On the line through the two nearest elements. */
public final class kLinear extends InterpolateMode {
  /** The mode. */
  public kLinear() {
    super("linear");
  }
}
