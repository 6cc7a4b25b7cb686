package org.onetape;

/** An integer argument that may be left out, such as a dimension or the end of a slice. */
public final class LongOptional extends OptionalValue<Long> {
  /** No value. */
  public LongOptional() {
    super(null);
  }

  /** The given value. */
  public LongOptional(long value) {
    super(value);
  }

  /** A copy of another optional. */
  public LongOptional(LongOptional other) {
    super(valueOf(other));
  }

  /**
   * The value.
   *
   * @throws java.util.NoSuchElementException if there is none
   */
  public long get() {
    return require();
  }

  /** Replaces the value; returns this. */
  public LongOptional put(long value) {
    set(value);
    return this;
  }

  /** Takes over what the other holds, value or none; returns this. */
  public LongOptional put(LongOptional other) {
    set(valueOf(other));
    return this;
  }
}
