package org.onetape;

import java.util.Arrays;

/** A list of integers: sizes, strides, dimensions. */
public final class LongArrayRef extends LongHeaderOnlyArrayRef {
  /** No integers. */
  public LongArrayRef() {
    super(new long[0]);
  }

  /** The given integers. */
  public LongArrayRef(long... values) {
    super(values);
  }

  /** The integers of a vector. */
  public LongArrayRef(LongVector values) {
    super(values.get());
  }

  /** The integers from a pointer's position to its limit. */
  public LongArrayRef(LongPointer values) {
    super(values.toArray());
  }

  /** The first integers from a pointer's position. */
  public LongArrayRef(LongPointer values, long size) {
    super(Arrays.copyOf(values.toArray(), Math.toIntExact(size)));
  }

  /** The n integers from the start-th on. */
  public LongArrayRef slice(long start, long n) {
    if (start < 0 || n < 0 || start + n > size()) {
      throw new IndexOutOfBoundsException(
          "slice of " + n + " from " + start + " of a list of " + size());
    }
    return new LongArrayRef(Arrays.copyOfRange(toArray(), (int) start, (int) (start + n)));
  }

  /** The integers from the start-th on. */
  public LongArrayRef slice(long start) {
    return slice(start, size() - start);
  }

  /** Whether both lists have the same integers. */
  public boolean equals(LongArrayRef other) {
    return super.equals(other);
  }

  static long[] toArray(LongHeaderOnlyArrayRef list) {
    return list == null ? null : list.toArray();
  }
}
