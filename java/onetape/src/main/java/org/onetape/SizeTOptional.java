package org.onetape;

/** A size that may be unknown. */
public final class SizeTOptional extends OptionalValue<Long> {
  /** No value. */
  public SizeTOptional() {
    super(null);
  }

  /** The given value. */
  public SizeTOptional(long value) {
    super(value);
  }

  /** A copy of another optional. */
  public SizeTOptional(SizeTOptional other) {
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
  public SizeTOptional put(long value) {
    set(value);
    return this;
  }

  /** Takes over what the other holds, value or none; returns this. */
  public SizeTOptional put(SizeTOptional other) {
    set(valueOf(other));
    return this;
  }
}
