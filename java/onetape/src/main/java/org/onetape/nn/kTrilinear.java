package org.onetape.nn;

/** Linear in all dimensions of volumes. */
public final class kTrilinear extends InterpolateMode {
  /** The mode. */
  public kTrilinear() {
    super("trilinear");
  }
}
