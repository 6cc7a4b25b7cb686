package org.onetape.data;

import java.util.NoSuchElementException;
import org.onetape.Value;

/** A list of examples that may be missing. */
public final class ExampleVectorOptional extends Value {
  private final ExampleVector value;

  /** No value. */
  public ExampleVectorOptional() {
    this(null);
  }

  /** The given value. */
  public ExampleVectorOptional(ExampleVector value) {
    this.value = value;
  }

  /** Whether there is a value. */
  public boolean has_value() {
    return value != null;
  }

  /**
   * The value.
   *
   * @throws NoSuchElementException if there is none
   */
  public ExampleVector get() {
    if (value == null) {
      throw new NoSuchElementException("ExampleVectorOptional has no value");
    }
    return value;
  }

  /** The list, or null. */
  @Override
  public String toString() {
    return String.valueOf(value);
  }
}
