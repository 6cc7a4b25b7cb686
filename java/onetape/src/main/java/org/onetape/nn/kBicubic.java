package org.onetape.nn;

/** By polynomials of third degree in both dimensions of images. */
public final class kBicubic extends InterpolateMode {
  /** The mode. */
  public kBicubic() {
    super("bicubic");
  }
}
