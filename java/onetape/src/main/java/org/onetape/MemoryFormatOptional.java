package org.onetape;

import org.onetape.global.torch.MemoryFormat;

/** An order of dimensions in memory that may be left out. */
public final class MemoryFormatOptional extends OptionalValue<MemoryFormat> {
  /** No value. */
  public MemoryFormatOptional() {
    super(null);
  }

  /** The given value. */
  public MemoryFormatOptional(MemoryFormat value) {
    super(value);
  }

  /** A copy of another optional. */
  public MemoryFormatOptional(MemoryFormatOptional other) {
    super(valueOf(other));
  }

  /**
   * The value.
   *
   * @throws java.util.NoSuchElementException if there is none
   */
  public MemoryFormat get() {
    return require();
  }

  /** Replaces the value; returns this. */
  public MemoryFormatOptional put(MemoryFormat value) {
    set(value);
    return this;
  }

  /** Takes over what the other holds, value or none; returns this. */
  public MemoryFormatOptional put(MemoryFormatOptional other) {
    set(valueOf(other));
    return this;
  }
}
