package org.onetape.nn;

import org.onetape.LongPointer;

/** Elements from the other end, over three dimensions. */
public class CircularPad3dImpl extends PadBase {
  private final CircularPad3dOptions options;

  /** So much before and after: a number, or all, for the last dimension first. */
  public CircularPad3dImpl(LongPointer padding) {
    this(new CircularPad3dOptions(padding));
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public CircularPad3dImpl(long... padding) {
    this(new CircularPad3dOptions(padding));
  }

  /** A layer as the options say. */
  public CircularPad3dImpl(CircularPad3dOptions options) {
    super("CircularPad3d", options, "circular");
    this.options = options;
  }

  /** How the layer was made. */
  public CircularPad3dOptions options() {
    return options;
  }
}
