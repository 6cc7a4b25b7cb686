package org.onetape.nn;

import org.onetape.LongPointer;

/** Zeros around the input, over one dimension. */
public class ZeroPad1dImpl extends PadBase {
  private final ZeroPad1dOptions options;

  /** So much before and after: a number, or all, for the last dimension first. */
  public ZeroPad1dImpl(LongPointer padding) {
    this(new ZeroPad1dOptions(padding));
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public ZeroPad1dImpl(long... padding) {
    this(new ZeroPad1dOptions(padding));
  }

  /** A layer as the options say. */
  public ZeroPad1dImpl(ZeroPad1dOptions options) {
    super("ZeroPad1d", options, "constant");
    this.options = options;
  }

  /** How the layer was made. */
  public ZeroPad1dOptions options() {
    return options;
  }
}
