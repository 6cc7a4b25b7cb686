package org.onetape;

/** A list of tensors that may be left out, such as the inputs of {@code backward}. */
public final class TensorArrayRefOptional extends OptionalValue<TensorArrayRef> {
  /** No value. */
  public TensorArrayRefOptional() {
    super(null);
  }

  /** The given value. */
  public TensorArrayRefOptional(TensorArrayRef value) {
    super(value);
  }

  /** The given tensors. */
  public TensorArrayRefOptional(TensorVector value) {
    super(new TensorArrayRef(value));
  }

  /** A copy of another optional. */
  public TensorArrayRefOptional(TensorArrayRefOptional other) {
    super(valueOf(other));
  }

  /**
   * The value.
   *
   * @throws java.util.NoSuchElementException if there is none
   */
  public TensorArrayRef get() {
    return require();
  }

  /** Replaces the value; returns this. */
  public TensorArrayRefOptional put(TensorArrayRef value) {
    set(value);
    return this;
  }

  /** Takes over what the other holds, value or none; returns this. */
  public TensorArrayRefOptional put(TensorArrayRefOptional other) {
    set(valueOf(other));
    return this;
  }
}
