package org.onetape;

/** A word that may be left out, such as a rounding mode. */
public final class StringViewOptional extends OptionalValue<String> {
  /** No value. */
  public StringViewOptional() {
    super(null);
  }

  /** The given value. */
  public StringViewOptional(String value) {
    super(value);
  }

  /** The given word. */
  public StringViewOptional(BytePointer value) {
    super(value == null ? null : value.getString());
  }

  /** A copy of another optional. */
  public StringViewOptional(StringViewOptional other) {
    super(valueOf(other));
  }

  /**
   * The value.
   *
   * @throws java.util.NoSuchElementException if there is none
   */
  public String get() {
    return require();
  }

  /** Replaces the value; returns this. */
  public StringViewOptional put(String value) {
    set(value);
    return this;
  }

  /** Takes over what the other holds, value or none; returns this. */
  public StringViewOptional put(StringViewOptional other) {
    set(valueOf(other));
    return this;
  }
}
