package org.onetape.nn;

import org.onetape.DoubleOptional;
import org.onetape.LongPointer;

/** One value around the input, over two dimensions. */
public class ConstantPad2dImpl extends PadBase {
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
    super("ConstantPad2d", options, "constant");
    this.options = options;
  }

  /** How the layer was made. */
  public ConstantPad2dOptions options() {
    return options;
  }

  @Override
  DoubleOptional value() {
    return new DoubleOptional(options.value().get());
  }

  @Override
  protected String describe() {
    return "padding=" + super.describe() + ", value=" + PythonText.of(options.value().get());
  }
}
