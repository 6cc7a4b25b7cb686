package org.onetape.nn;

import org.onetape.LongPointer;

/** One value around the input, over two dimensions. */
public class ConstantPad2dImpl extends ConstantPadBase {
  private final ConstantPad2dOptions options;

  /** So much before and after: a number, or all, for the last dimension first, of this value. */
  public ConstantPad2dImpl(LongPointer padding, double value) {
    this(new ConstantPad2dOptions(padding, value));
  }

  /** So much before and after, for the last dimension first, of this value. */
  public ConstantPad2dImpl(long[] padding, double value) {
    this(new ConstantPad2dOptions(padding, value));
  }

  /** So much before and after, of this value. */
  public ConstantPad2dImpl(long padding, double value) {
    this(new ConstantPad2dOptions(padding, value));
  }

  /** A layer as the options say. */
  public ConstantPad2dImpl(ConstantPad2dOptions options) {
    super("ConstantPad2d", options);
    this.options = options;
  }

  /** How the layer was made. */
  public ConstantPad2dOptions options() {
    return options;
  }
}
