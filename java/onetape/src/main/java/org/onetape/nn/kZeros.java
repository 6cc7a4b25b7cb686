package org.onetape.nn;

/** Zeros around the input. */
public final class kZeros extends ConvPaddingMode {
  /** The mode. */
  public kZeros() {
    super("zeros");
  }
}
