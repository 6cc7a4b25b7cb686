package org.onetape;

import org.onetape.global.torch.ScalarType;

/** An element type that may be left out. */
public final class ScalarTypeOptional extends OptionalValue<ScalarType> {
  /** No value. */
  public ScalarTypeOptional() {
    super(null);
  }

  /** The given value. */
  public ScalarTypeOptional(ScalarType value) {
    super(value);
  }

  /** A copy of another optional. */
  public ScalarTypeOptional(ScalarTypeOptional other) {
    super(valueOf(other));
  }

  /**
   * The value.
   *
   * @throws java.util.NoSuchElementException if there is none
   */
  public ScalarType get() {
    return require();
  }

  /** Replaces the value; returns this. */
  public ScalarTypeOptional put(ScalarType value) {
    set(value);
    return this;
  }

  /** Takes over what the other holds, value or none; returns this. */
  public ScalarTypeOptional put(ScalarTypeOptional other) {
    set(valueOf(other));
    return this;
  }
}
