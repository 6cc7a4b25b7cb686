package org.onetape;

import org.onetape.global.torch.Layout;

/** A memory layout that may be left out. */
public final class LayoutOptional extends OptionalValue<Layout> {
  /** No value. */
  public LayoutOptional() {
    super(null);
  }

  /** The given value. */
  public LayoutOptional(Layout value) {
    super(value);
  }

  /** A copy of another optional. */
  public LayoutOptional(LayoutOptional other) {
    super(valueOf(other));
  }

  /**
   * The value.
   *
   * @throws java.util.NoSuchElementException if there is none
   */
  public Layout get() {
    return require();
  }

  /** Replaces the value; returns this. */
  public LayoutOptional put(Layout value) {
    set(value);
    return this;
  }

  /** Takes over what the other holds, value or none; returns this. */
  public LayoutOptional put(LayoutOptional other) {
    set(valueOf(other));
    return this;
  }
}
