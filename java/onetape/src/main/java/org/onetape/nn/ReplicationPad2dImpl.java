package org.onetape.nn;

import org.onetape.LongPointer;

/** The outermost elements again, over two dimensions. */
public class ReplicationPad2dImpl extends PadBase {
  private final ReplicationPad2dOptions options;

  /** So much before and after: a number, or all, for the last dimension first. */
  public ReplicationPad2dImpl(LongPointer padding) {
    this(new ReplicationPad2dOptions(padding));
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public ReplicationPad2dImpl(long... padding) {
    this(new ReplicationPad2dOptions(padding));
  }

  /** A layer as the options say. */
  public ReplicationPad2dImpl(ReplicationPad2dOptions options) {
    super("ReplicationPad2d", options, "replicate");
    this.options = options;
  }

  /** How the layer was made. */
  public ReplicationPad2dOptions options() {
    return options;
  }
}
