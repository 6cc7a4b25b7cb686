package org.onetape.nn;

/** The losses of the elements as they are. */
public final class kNone extends LossReduction {
  /** The reduction. */
  public kNone() {
    super("none");
  }
}
