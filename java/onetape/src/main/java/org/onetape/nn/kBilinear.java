package org.onetape.nn;

/** Linear in both dimensions of images. */
public final class kBilinear extends InterpolateMode {
  /** The mode. */
  public kBilinear() {
    super("bilinear");
  }
}
