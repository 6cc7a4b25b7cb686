package org.onetape.nn;

import org.onetape.LongPointer;

/** The outermost elements again, over three dimensions. */
public class ReplicationPad3dImpl extends PadBase {
  private final ReplicationPad3dOptions options;

  /** So much before and after: a number, or all, for the last dimension first. */
  public ReplicationPad3dImpl(LongPointer padding) {
    this(new ReplicationPad3dOptions(padding));
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public ReplicationPad3dImpl(long... padding) {
    this(new ReplicationPad3dOptions(padding));
  }

  /** A layer as the options say. */
  public ReplicationPad3dImpl(ReplicationPad3dOptions options) {
    super("ReplicationPad3d", options, "replicate");
    this.options = options;
  }

  /** How the layer was made. */
  public ReplicationPad3dOptions options() {
    return options;
  }
}
