package org.onetape;

import java.util.Arrays;

/** A list of sizes or indices. */
public final class SizeTVector extends Value {
  private final long[] values;

  /** The given values. */
  public SizeTVector(long... values) {
    this.values = values.clone();
  }

  /** The number of values. */
  public long size() {
    return values.length;
  }

  /** Whether there are none. */
  public boolean empty() {
    return values.length == 0;
  }

  /** The i-th value. */
  public long get(long i) {
    if (i < 0 || i >= values.length) {
      throw new IndexOutOfBoundsException("index " + i + " of a SizeTVector of " + values.length);
    }
    return values[(int) i];
  }

  /** The values as an array of their own. */
  public long[] get() {
    return values.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SizeTVector && Arrays.equals(((SizeTVector) other).values, values);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }

  /** The values between brackets. */
  @Override
  public String toString() {
    return Arrays.toString(values);
  }
}
