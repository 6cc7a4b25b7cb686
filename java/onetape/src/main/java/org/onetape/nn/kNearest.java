package org.onetape.nn;

/** The nearest element, counted from the start. */
public final class kNearest extends InterpolateMode {
  /** The mode. */
  public kNearest() {
    super("nearest");
  }
}
