package org.onetape;

/** An integer of a slice that may be left out. */
public final class SymIntOptional extends OptionalValue<SymInt> {
  /** No value. */
  public SymIntOptional() {
    super(null);
  }

  /** The given value. */
  public SymIntOptional(SymInt value) {
    super(value);
  }

  /** A copy of another optional. */
  public SymIntOptional(SymIntOptional other) {
    super(valueOf(other));
  }

  /**
   * The value.
   *
   * @throws java.util.NoSuchElementException if there is none
   */
  public SymInt get() {
    return require();
  }

  /** Replaces the value; returns this. */
  public SymIntOptional put(SymInt value) {
    set(value);
    return this;
  }

  /** Takes over what the other holds, value or none; returns this. */
  public SymIntOptional put(SymIntOptional other) {
    set(valueOf(other));
    return this;
  }
}
