package org.onetape.nn;

import org.onetape.LongPointer;

/** How a {@link ReplicationPad3dImpl} is made. */
public final class ReplicationPad3dOptions extends PadOptionsBase<ReplicationPad3dOptions> {
  /** So much before and after: a number, or all, for the last dimension first. */
  public ReplicationPad3dOptions(LongPointer padding) {
    this(padding.toArray());
  }

  /** So much before and after: a number, or all, for the last dimension first. */
  public ReplicationPad3dOptions(long... padding) {
    super(3, padding);
  }

  @Override
  ReplicationPad3dOptions self() {
    return this;
  }
}
