package org.onetape;

/** A tensor argument that may be left out, such as a bias. */
public final class TensorOptional extends OptionalValue<Tensor> {
  /** No value. */
  public TensorOptional() {
    super(null);
  }

  /** The given value. */
  public TensorOptional(Tensor value) {
    super(value);
  }

  /** A copy of another optional. */
  public TensorOptional(TensorOptional other) {
    super(valueOf(other));
  }

  /**
   * The value.
   *
   * @throws java.util.NoSuchElementException if there is none
   */
  public Tensor get() {
    return require();
  }

  /** Replaces the value; returns this. */
  public TensorOptional put(Tensor value) {
    set(value);
    return this;
  }

  /** Takes over what the other holds, value or none; returns this. */
  public TensorOptional put(TensorOptional other) {
    set(valueOf(other));
    return this;
  }
}
