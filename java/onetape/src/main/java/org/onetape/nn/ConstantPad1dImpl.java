package org.onetape.nn;

import org.onetape.DoubleOptional;
import org.onetape.LongPointer;

/** One value around the input, over one dimension. */
public class ConstantPad1dImpl extends PadBase {
  private final ConstantPad1dOptions options;

  /** So much before and after: a number, or all, for the last dimension first, of this value. */
  public ConstantPad1dImpl(LongPointer padding, double value) {
    this(new ConstantPad1dOptions(padding, value));
  }

  /** So much before and after, for the last dimension first, of this value. */
  public ConstantPad1dImpl(long[] padding, double value) {
    this(new ConstantPad1dOptions(padding, value));
  }

  /** So much before and after, of this value. */
  public ConstantPad1dImpl(long padding, double value) {
    this(new ConstantPad1dOptions(padding, value));
  }

  /** A layer as the options say. */
  public ConstantPad1dImpl(ConstantPad1dOptions options) {
    super("ConstantPad1d", options, "constant");
    this.options = options;
  }

  /** How the layer was made. */
  public ConstantPad1dOptions options() {
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
