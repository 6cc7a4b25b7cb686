package org.onetape.nn;

/** The outermost elements again. */
public final class kReplicate extends ConvPaddingMode {
  /** The mode. */
  public kReplicate() {
    super("replicate");
  }
}
