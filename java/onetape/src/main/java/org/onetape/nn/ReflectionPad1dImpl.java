package org.onetape.nn;

import org.onetape.LongPointer;

/** The input mirrored at its ends, over one dimension. */
public class ReflectionPad1dImpl extends PadBase {
  private final ReflectionPad1dOptions options;

  /** So much before and after: a number, or all, for the last dimension first. */
  public ReflectionPad1dImpl(LongPointer padding) {
    this(new ReflectionPad1dOptions(padding));
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public ReflectionPad1dImpl(long... padding) {
    this(new ReflectionPad1dOptions(padding));
  }

  /** A layer as the options say. */
  public ReflectionPad1dImpl(ReflectionPad1dOptions options) {
    super("ReflectionPad1d", options, "reflect");
    this.options = options;
  }

  /** How the layer was made. */
  public ReflectionPad1dOptions options() {
    return options;
  }
}
