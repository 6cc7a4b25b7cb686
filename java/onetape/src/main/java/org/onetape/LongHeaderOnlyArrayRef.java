package org.onetape;

import java.util.Arrays;

/** What the classes for a list of integers have in common. */
public class LongHeaderOnlyArrayRef extends Value {
  private final long[] values;

  LongHeaderOnlyArrayRef(long[] values) {
    this.values = values.clone();
  }

  /** How many integers there are. */
  public long size() {
    return values.length;
  }

  /** Whether there are none. */
  public boolean empty() {
    return values.length == 0;
  }

  /** The i-th integer. */
  public long get(long i) {
    return values[checkIndex(i)];
  }

  /** The i-th integer. */
  public long at(long i) {
    return get(i);
  }

  /** The first integer. */
  public long front() {
    return get(0);
  }

  /** The last integer. */
  public long back() {
    return get(values.length - 1L);
  }

  /** The integers as a vector of their own. */
  public LongVector vec() {
    return new LongVector(values);
  }

  /** The integers as an array of their own. */
  public long[] toArray() {
    return values.clone();
  }

  private int checkIndex(long i) {
    if (i < 0 || i >= values.length) {
      throw new IndexOutOfBoundsException("index " + i + " of a list of " + values.length);
    }
    return (int) i;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LongHeaderOnlyArrayRef
        && Arrays.equals(((LongHeaderOnlyArrayRef) other).values, values);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }

  /** The integers between brackets. */
  @Override
  public String toString() {
    return Arrays.toString(values);
  }
}
