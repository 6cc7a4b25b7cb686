package org.onetape.nn;

/** The input mirrored at its ends. */
public final class kReflect extends ConvPaddingMode {
  /** The mode. */
  public kReflect() {
    super("reflect");
  }
}
