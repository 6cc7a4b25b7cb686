package org.onetape.nn;

/** How an {@link UpsampleImpl} finds elements: one of the modes of {@link InterpolateMode}. */
public final class UpsampleMode extends InterpolateMode {
  /** The given mode. */
  public UpsampleMode(InterpolateMode mode) {
    super(mode);
  }
}
