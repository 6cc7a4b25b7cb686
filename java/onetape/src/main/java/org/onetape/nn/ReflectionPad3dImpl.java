package org.onetape.nn;

import org.onetape.LongPointer;

/** The input mirrored at its ends, over three dimensions. */
public class ReflectionPad3dImpl extends PadBase {
  private final ReflectionPad3dOptions options;

  /** So much before and after: a number, or all, for the last dimension first. */
  public ReflectionPad3dImpl(LongPointer padding) {
    this(new ReflectionPad3dOptions(padding));
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public ReflectionPad3dImpl(long... padding) {
    this(new ReflectionPad3dOptions(padding));
  }

  /** A layer as the options say. */
  public ReflectionPad3dImpl(ReflectionPad3dOptions options) {
    super("ReflectionPad3d", options, "reflect");
    this.options = options;
  }

  /** How the layer was made. */
  public ReflectionPad3dOptions options() {
    return options;
  }
}
