package org.onetape.nn;

import org.onetape.DoubleOptional;
import org.onetape.LongPointer;

/** One value around the input, over three dimensions. */
public class ConstantPad3dImpl extends PadBase {
  private final ConstantPad3dOptions options;

  /** So much before and after: a number, or all, for the last dimension first, of this value. */
  public ConstantPad3dImpl(LongPointer padding, double value) {
    this(new ConstantPad3dOptions(padding, value));
  }

  /** So much before and after, for the last dimension first, of this value. */
  public ConstantPad3dImpl(long[] padding, double value) {
    this(new ConstantPad3dOptions(padding, value));
  }

  /** So much before and after, of this value. */
  public ConstantPad3dImpl(long padding, double value) {
    this(new ConstantPad3dOptions(padding, value));
  }

  /** A layer as the options say. */
  public ConstantPad3dImpl(ConstantPad3dOptions options) {
    super("ConstantPad3d", options, "constant");
    this.options = options;
  }

  /** How the layer was made. */
  public ConstantPad3dOptions options() {
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
