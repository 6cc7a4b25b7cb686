package org.onetape;

/** A list of indices that may be missing. */
public final class SizeTVectorOptional extends OptionalValue<SizeTVector> {
  /** No value. */
  public SizeTVectorOptional() {
    super(null);
  }

  /** The given value. */
  public SizeTVectorOptional(SizeTVector value) {
    super(value);
  }

  /** A copy of another optional. */
  public SizeTVectorOptional(SizeTVectorOptional other) {
    super(valueOf(other));
  }

  /**
   * The value.
   *
   * @throws java.util.NoSuchElementException if there is none
   */
  public SizeTVector get() {
    return require();
  }

  /** Replaces the value; returns this. */
  public SizeTVectorOptional put(SizeTVector value) {
    set(value);
    return this;
  }

  /** Takes over what the other holds, value or none; returns this. */
  public SizeTVectorOptional put(SizeTVectorOptional other) {
    set(valueOf(other));
    return this;
  }
}
