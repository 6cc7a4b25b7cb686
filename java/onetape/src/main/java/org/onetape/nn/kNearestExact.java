package org.onetape.nn;

/** The nearest element, counted from the centres. */
public final class kNearestExact extends InterpolateMode {
  /** The mode. */
  public kNearestExact() {
    super("nearest-exact");
  }
}
