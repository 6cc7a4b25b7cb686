package org.onetape;

import java.nio.ByteBuffer;

/** Booleans in memory outside the Java heap, a byte each. */
public class BoolPointer extends Pointer {
  /** The null pointer. */
  public BoolPointer() {}

  /** Booleans with the given values. */
  public BoolPointer(boolean... values) {
    allocate(values.length);
    put(values);
  }

  /** The given number of booleans, all false. */
  public BoolPointer(long size) {
    allocate(size);
  }

  /** The same memory as another pointer, from its position to its limit. */
  public BoolPointer(Pointer other) {
    view(other);
  }

  BoolPointer(ByteBuffer buffer) {
    share(buffer);
  }

  /** The boolean at the position. */
  public boolean get() {
    return get(0);
  }

  /** The i-th boolean from the position. */
  public boolean get(long i) {
    return block().get(at(i)) != 0;
  }

  /** Reads as many booleans as the array takes; returns this. */
  public BoolPointer get(boolean[] target) {
    range(target.length);
    for (int i = 0; i < target.length; i++) {
      target[i] = get(i);
    }
    return this;
  }

  /** Writes the boolean at the position; returns this. */
  public BoolPointer put(boolean value) {
    return put(0, value);
  }

  /** Writes the i-th boolean from the position; returns this. */
  public BoolPointer put(long i, boolean value) {
    block().put(at(i), (byte) (value ? 1 : 0));
    return this;
  }

  /** Writes the array from the position on; returns this. */
  public BoolPointer put(boolean... values) {
    range(values.length);
    for (int i = 0; i < values.length; i++) {
      put(i, values[i]);
    }
    return this;
  }

  @Override
  public BoolPointer position(long newPosition) {
    super.position(newPosition);
    return this;
  }

  @Override
  public BoolPointer limit(long newLimit) {
    super.limit(newLimit);
    return this;
  }

  @Override
  public BoolPointer capacity(long newCapacity) {
    super.capacity(newCapacity);
    return this;
  }

  @Override
  public BoolPointer getPointer(long i) {
    return new BoolPointer(skip(i));
  }
}
