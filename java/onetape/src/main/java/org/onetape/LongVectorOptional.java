package org.onetape;

/** A list of integers that may be left out. */
public final class LongVectorOptional extends OptionalValue<LongVector> {
  /** No value. */
  public LongVectorOptional() {
    super(null);
  }

  /** The given value. */
  public LongVectorOptional(LongVector value) {
    super(value);
  }

  /** A copy of another optional. */
  public LongVectorOptional(LongVectorOptional other) {
    super(valueOf(other));
  }

  /**
   * The value.
   *
   * @throws java.util.NoSuchElementException if there is none
   */
  public LongVector get() {
    return require();
  }

  /** Replaces the value; returns this. */
  public LongVectorOptional put(LongVector value) {
    set(value);
    return this;
  }

  /** Takes over what the other holds, value or none; returns this. */
  public LongVectorOptional put(LongVectorOptional other) {
    set(valueOf(other));
    return this;
  }
}
