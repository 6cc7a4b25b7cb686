package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link ReplicationPad2dImpl} is made. */
public final class ReplicationPad2dOptions extends PadOptionsBase<ReplicationPad2dOptions> {
  /** So much before and after: a number, or all, for the last dimension first. */
  public ReplicationPad2dOptions(LongPointer padding) {
    this(padding.toArray());
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public ReplicationPad2dOptions(long... padding) {
    super(2, padding);
  }

  @Override
  ReplicationPad2dOptions self() {
    return this;
  }
}
