package org.onetape.nn;

import org.onetape.LongPointer;

/** Elements from the other end, over one dimension. */
public class CircularPad1dImpl extends PadBase {
  private final CircularPad1dOptions options;

  /** So much before and after: a number, or all, for the last dimension first. */
  public CircularPad1dImpl(LongPointer padding) {
    this(new CircularPad1dOptions(padding));
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public CircularPad1dImpl(long... padding) {
    this(new CircularPad1dOptions(padding));
  }

  /** A layer as the options say. */
  public CircularPad1dImpl(CircularPad1dOptions options) {
    super("CircularPad1d", options, "circular");
    this.options = options;
  }

  /** How the layer was made. */
  public CircularPad1dOptions options() {
    return options;
  }
}
