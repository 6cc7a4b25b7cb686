package org.onetape.nn;

import org.onetape.LongPointer;

/** Zeros around the input, over three dimensions. */
public class ZeroPad3dImpl extends PadBase {
  private final ZeroPad3dOptions options;

  /** So much before and after: a number, or all, for the last dimension first. */
  public ZeroPad3dImpl(LongPointer padding) {
    this(new ZeroPad3dOptions(padding));
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public ZeroPad3dImpl(long... padding) {
    this(new ZeroPad3dOptions(padding));
  }

  /** A layer as the options say. */
  public ZeroPad3dImpl(ZeroPad3dOptions options) {
    super("ZeroPad3d", options, "constant");
    this.options = options;
  }

  /** How the layer was made. */
  public ZeroPad3dOptions options() {
    return options;
  }
}
