package org.onetape;

/** A number that may be left out, such as a bound of {@code clamp}. */
public final class ScalarOptional extends OptionalValue<Scalar> {
  /** No value. */
  public ScalarOptional() {
    super(null);
  }

  /** The given value. */
  public ScalarOptional(Scalar value) {
    super(value);
  }

  /** A copy of another optional. */
  public ScalarOptional(ScalarOptional other) {
    super(valueOf(other));
  }

  /**
   * The value.
   *
   * @throws java.util.NoSuchElementException if there is none
   */
  public Scalar get() {
    return require();
  }

  /** Replaces the value; returns this. */
  public ScalarOptional put(Scalar value) {
    set(value);
    return this;
  }

  /** Takes over what the other holds, value or none; returns this. */
  public ScalarOptional put(ScalarOptional other) {
    set(valueOf(other));
    return this;
  }
}
