package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link ReplicationPad1dImpl} is made. */
public final class ReplicationPad1dOptions extends PadOptionsBase<ReplicationPad1dOptions> {
  /** So much before and after: a number, or all, for the last dimension first. */
  public ReplicationPad1dOptions(LongPointer padding) {
    this(padding.toArray());
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public ReplicationPad1dOptions(long... padding) {
    super(1, padding);
  }

  @Override
  ReplicationPad1dOptions self() {
    return this;
  }
}
