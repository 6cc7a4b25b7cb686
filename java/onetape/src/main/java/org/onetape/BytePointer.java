package org.onetape;

import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** Bytes in memory outside the Java heap; also a text that ends with a zero byte. */
public class BytePointer extends Pointer {
  /** The null pointer. */
  public BytePointer() {}

  /** Bytes with the given values. */
  public BytePointer(byte... values) {
    allocate(values.length);
    put(values);
  }

  /** The given number of bytes, all zero. */
  public BytePointer(long size) {
    allocate(size);
  }

  /** The memory of a direct buffer, or a copy of one that lies in the heap. */
  public BytePointer(ByteBuffer buffer) {
    share(buffer);
  }

  /** The same memory as another pointer, from its position to its limit. */
  public BytePointer(Pointer other) {
    view(other);
  }

  /** A text in UTF-8, with a zero byte after it. */
  public BytePointer(String text) {
    this(text, StandardCharsets.UTF_8);
  }

  /** A text in the given encoding, with a zero byte after it. */
  public BytePointer(String text, Charset charset) {
    byte[] encoded = text.getBytes(charset);
    allocate(encoded.length + 1L);
    put(encoded);
  }

  /** The byte at the position. */
  public byte get() {
    return get(0);
  }

  /** The i-th byte from the position. */
  public byte get(long i) {
    return block().get(at(i));
  }

  /** Reads as many bytes as the array takes; returns this. */
  public BytePointer get(byte[] target) {
    return get(target, 0, target.length);
  }

  /** Reads bytes into a part of an array; returns this. */
  public BytePointer get(byte[] target, int offset, int length) {
    block().duplicate().position(range(length)).get(target, offset, length);
    return this;
  }

  /** Writes the byte at the position; returns this. */
  public BytePointer put(byte value) {
    return put(0, value);
  }

  /** Writes the i-th byte from the position; returns this. */
  public BytePointer put(long i, byte value) {
    block().put(at(i), value);
    return this;
  }

  /** Writes the array from the position on; returns this. */
  public BytePointer put(byte... values) {
    return put(values, 0, values.length);
  }

  /** Writes a part of an array from the position on; returns this. */
  public BytePointer put(byte[] values, int offset, int length) {
    block().duplicate().position(range(length)).put(values, offset, length);
    return this;
  }

  /** The four bytes that start i bytes from the position, as an int. */
  public int getInt(long i) {
    at(i + 3);
    return block().getInt(at(i));
  }

  /** The eight bytes that start i bytes from the position, as a long. */
  public long getLong(long i) {
    at(i + 7);
    return block().getLong(at(i));
  }

  /** The bytes from the position to the limit, or to a zero byte before it. */
  public byte[] getStringBytes() {
    ByteBuffer rest = bytes();
    int length = 0;
    while (length < rest.capacity() && rest.get(length) != 0) {
      length++;
    }
    byte[] encoded = new byte[length];
    rest.get(encoded);
    return encoded;
  }

  /** The text up to the limit, or to a zero byte before it, in UTF-8. */
  public String getString() {
    return getString(StandardCharsets.UTF_8);
  }

  /** The text up to the limit, or to a zero byte before it. */
  public String getString(Charset charset) {
    return new String(getStringBytes(), charset);
  }

  @Override
  public BytePointer position(long newPosition) {
    super.position(newPosition);
    return this;
  }

  @Override
  public BytePointer limit(long newLimit) {
    super.limit(newLimit);
    return this;
  }

  @Override
  public BytePointer capacity(long newCapacity) {
    super.capacity(newCapacity);
    return this;
  }

  @Override
  public BytePointer getPointer(long i) {
    return new BytePointer(skip(i));
  }

  @Override
  public ByteBuffer asBuffer() {
    return bytes();
  }
}
