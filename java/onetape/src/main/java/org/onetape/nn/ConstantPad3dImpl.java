package org.onetape.nn;

import org.onetape.LongPointer;

/** One value around the input, over three dimensions. */
public class ConstantPad3dImpl extends ConstantPadBase {
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
    super("ConstantPad3d", options);
    this.options = options;
  }

  /** How the layer was made. */
  public ConstantPad3dOptions options() {
    return options;
  }
}
