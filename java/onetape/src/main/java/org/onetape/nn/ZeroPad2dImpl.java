package org.onetape.nn;

import org.onetape.LongPointer;

/** Zeros around the input, over two dimensions. */
public class ZeroPad2dImpl extends PadBase {
  private final ZeroPad2dOptions options;

  /** So much before and after: a number, or all, for the last dimension first. */
  public ZeroPad2dImpl(LongPointer padding) {
    this(new ZeroPad2dOptions(padding));
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public ZeroPad2dImpl(long... padding) {
    this(new ZeroPad2dOptions(padding));
  }

  /** A layer as the options say. */
  public ZeroPad2dImpl(ZeroPad2dOptions options) {
    super("ZeroPad2d", options, "constant");
    this.options = options;
  }

  /** How the layer was made. */
  public ZeroPad2dOptions options() {
    return options;
  }
}
