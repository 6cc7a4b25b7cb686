package org.onetape.nn;

import org.onetape.LongPointer;

/** The input mirrored at its ends, over two dimensions. */
public class ReflectionPad2dImpl extends PadBase {
  private final ReflectionPad2dOptions options;

  /** So much before and after: a number, or all, for the last dimension first. */
  public ReflectionPad2dImpl(LongPointer padding) {
    this(new ReflectionPad2dOptions(padding));
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public ReflectionPad2dImpl(long... padding) {
    this(new ReflectionPad2dOptions(padding));
  }

  /** A layer as the options say. */
  public ReflectionPad2dImpl(ReflectionPad2dOptions options) {
    super("ReflectionPad2d", options, "reflect");
    this.options = options;
  }

  /** How the layer was made. */
  public ReflectionPad2dOptions options() {
    return options;
  }
}
