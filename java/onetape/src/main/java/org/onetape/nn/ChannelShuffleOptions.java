package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link ChannelShuffleImpl} is made. */
public final class ChannelShuffleOptions extends Value {
  private final LongPointer groups = new LongPointer(new long[] {1});

  /** The number of groups. */
  public ChannelShuffleOptions(long groups) {
    groups(groups);
  }

  /** The number of groups. */
  public LongPointer groups() {
    return groups;
  }

  /** Sets the number of groups; returns this. */
  public ChannelShuffleOptions groups(long value) {
    groups.put(value);
    return this;
  }
}
