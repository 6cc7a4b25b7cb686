package org.onetape;

import java.util.NoSuchElementException;
import java.util.Objects;

/** What the classes for an argument that may be left out have in common. */
abstract class OptionalValue<T> extends Value {
  private T value;

  OptionalValue(T value) {
    this.value = value;
  }

  /** Whether there is a value. */
  public final boolean has_value() {
    return value != null;
  }

  /** Takes the value away. */
  public final void reset() {
    value = null;
  }

  final void set(T newValue) {
    value = newValue;
  }

  final T valueOrNull() {
    return value;
  }

  final T require() {
    if (value == null) {
      throw new NoSuchElementException(getClass().getSimpleName() + " has no value");
    }
    return value;
  }

  static <T> T valueOf(OptionalValue<T> optional) {
    return optional == null ? null : optional.value;
  }

  @Override
  public final boolean equals(Object other) {
    return other instanceof OptionalValue
        && Objects.equals(((OptionalValue<?>) other).value, value);
  }

  @Override
  public final int hashCode() {
    return Objects.hashCode(value);
  }

  @Override
  public final String toString() {
    return String.valueOf(value);
  }
}
