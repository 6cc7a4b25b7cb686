package org.onetape;

/** A list of integers that may be left out, such as the dimensions to reduce over. */
public final class LongArrayRefOptional extends OptionalValue<LongArrayRef> {
  /** No value. */
  public LongArrayRefOptional() {
    super(null);
  }

  /** The given value. */
  public LongArrayRefOptional(LongArrayRef value) {
    super(value);
  }

  /** The given integers. */
  public LongArrayRefOptional(long... values) {
    super(new LongArrayRef(values));
  }

  /** A copy of another optional. */
  public LongArrayRefOptional(LongArrayRefOptional other) {
    super(valueOf(other));
  }

  /**
   * The value.
   *
   * @throws java.util.NoSuchElementException if there is none
   */
  public LongArrayRef get() {
    return require();
  }

  /** Replaces the value; returns this. */
  public LongArrayRefOptional put(LongArrayRef value) {
    set(value);
    return this;
  }

  /** Takes over what the other holds, value or none; returns this. */
  public LongArrayRefOptional put(LongArrayRefOptional other) {
    set(valueOf(other));
    return this;
  }
}
