package org.onetape.nn;

import org.onetape.LongPointer;

/** Elements from the other end, over two dimensions. */
public class CircularPad2dImpl extends PadBase {
  private final CircularPad2dOptions options;

  /** So much before and after: a number, or all, for the last dimension first. */
  public CircularPad2dImpl(LongPointer padding) {
    this(new CircularPad2dOptions(padding));
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public CircularPad2dImpl(long... padding) {
    this(new CircularPad2dOptions(padding));
  }

  /** A layer as the options say. */
  public CircularPad2dImpl(CircularPad2dOptions options) {
    super("CircularPad2d", options, "circular");
    this.options = options;
  }

  /** How the layer was made. */
  public CircularPad2dOptions options() {
    return options;
  }
}
