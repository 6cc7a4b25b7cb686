package org.onetape.nn;

/** Elements from the other end. */
public final class kCircular extends ConvPaddingMode {
  /** The mode. */
  public kCircular() {
    super("circular");
  }
}
