package org.onetape;

/** A floating-point argument that may be left out. */
public final class DoubleOptional extends OptionalValue<Double> {
  /** No value. */
  public DoubleOptional() {
    super(null);
  }

  /** The given value. */
  public DoubleOptional(double value) {
    super(value);
  }

  /** A copy of another optional. */
  public DoubleOptional(DoubleOptional other) {
    super(valueOf(other));
  }

  /**
   * The value.
   *
   * @throws java.util.NoSuchElementException if there is none
   */
  public double get() {
    return require();
  }

  /** Replaces the value; returns this. */
  public DoubleOptional put(double value) {
    set(value);
    return this;
  }

  /** Takes over what the other holds, value or none; returns this. */
  public DoubleOptional put(DoubleOptional other) {
    set(valueOf(other));
    return this;
  }
}
