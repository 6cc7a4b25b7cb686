package org.onetape.nn;

import org.onetape.LongPointer;

/** The outermost elements again, over one dimension. */
public class ReplicationPad1dImpl extends PadBase {
  private final ReplicationPad1dOptions options;

  /** So much before and after: a number, or all, for the last dimension first. */
  public ReplicationPad1dImpl(LongPointer padding) {
    this(new ReplicationPad1dOptions(padding));
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public ReplicationPad1dImpl(long... padding) {
    this(new ReplicationPad1dOptions(padding));
  }

  /** A layer as the options say. */
  public ReplicationPad1dImpl(ReplicationPad1dOptions options) {
    super("ReplicationPad1d", options, "replicate");
    this.options = options;
  }

  /** How the layer was made. */
  public ReplicationPad1dOptions options() {
    return options;
  }
}
