package org.onetape;

/** An integer of a slice; here always a known number. */
public final class SymInt extends Value {
  private final long value;

  /** The given number. */
  public SymInt(long value) {
    this.value = value;
  }

  /** The number. */
  public long guard_int() {
    return value;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SymInt && ((SymInt) other).value == value;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(value);
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
