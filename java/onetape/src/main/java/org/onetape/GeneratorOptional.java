package org.onetape;

/** A random number generator that may be left out; without one, the default one is meant. */
public final class GeneratorOptional extends OptionalValue<Generator> {
  /** No value. */
  public GeneratorOptional() {
    super(null);
  }

  /** The given value. */
  public GeneratorOptional(Generator value) {
    super(value);
  }

  /** A copy of another optional. */
  public GeneratorOptional(GeneratorOptional other) {
    super(valueOf(other));
  }

  /**
   * The value.
   *
   * @throws java.util.NoSuchElementException if there is none
   */
  public Generator get() {
    return require();
  }

  /** Replaces the value; returns this. */
  public GeneratorOptional put(Generator value) {
    set(value);
    return this;
  }

  /** Takes over what the other holds, value or none; returns this. */
  public GeneratorOptional put(GeneratorOptional other) {
    set(valueOf(other));
    return this;
  }
}
