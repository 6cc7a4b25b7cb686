package org.onetape;

/** A boolean argument that may be left out. */
public final class BoolOptional extends OptionalValue<Boolean> {
  /** No value. */
  public BoolOptional() {
    super(null);
  }

  /** The given value. */
  public BoolOptional(boolean value) {
    super(value);
  }

  /** A copy of another optional. */
  public BoolOptional(BoolOptional other) {
    super(valueOf(other));
  }

  /**
   * The value.
   *
   * @throws java.util.NoSuchElementException if there is none
   */
  public boolean get() {
    return require();
  }

  /** Replaces the value; returns this. */
  public BoolOptional put(boolean value) {
    set(value);
    return this;
  }

  /** Takes over what the other holds, value or none; returns this. */
  public BoolOptional put(BoolOptional other) {
    set(valueOf(other));
    return this;
  }
}
