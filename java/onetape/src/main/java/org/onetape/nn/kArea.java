package org.onetape.nn;

/** The mean of the elements that an element covers. */
public final class kArea extends InterpolateMode {
  /** The mode. */
  public kArea() {
    super("area");
  }
}
