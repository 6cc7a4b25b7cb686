package org.onetape.nn;

import org.onetape.LongPointer;

/** One value around the input, over one dimension. */
public class ConstantPad1dImpl extends ConstantPadBase {
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
    super("ConstantPad1d", options);
    this.options = options;
  }

  /** How the layer was made. */
  public ConstantPad1dOptions options() {
    return options;
  }
}
