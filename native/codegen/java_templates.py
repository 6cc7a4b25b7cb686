"""Classes of Java with @words@ in place of what differs between element types; see java_values.py."""

from __future__ import annotations

POINTER = """\
package org.onetape;

import java.nio.ByteBuffer;
import java.nio.@Name@Buffer;

/** @Noun@ in memory outside the Java heap. */
public class @Name@Pointer extends Pointer {
  /** The null pointer. */
  public @Name@Pointer() {}

  /** Elements with the given values. */
  public @Name@Pointer(@type@... values) {
    allocate(values.length);
    put(values);
  }

  /** The given number of elements, all zero. */
  public @Name@Pointer(long size) {
    allocate(size);
  }

  /** A copy of a buffer's elements from its position to its limit. */
  public @Name@Pointer(@Name@Buffer values) {
    allocate(values.remaining());
    asBuffer().put(values.duplicate());
  }

  /** The same memory as another pointer, from its position to its limit. */
  public @Name@Pointer(Pointer other) {
    view(other);
  }

  @Name@Pointer(ByteBuffer buffer) {
    share(buffer);
  }

  @Override
  public int sizeof() {
    return @size@;
  }

  /** The element at the position. */
  public @type@ get() {
    return get(0);
  }

  /** The i-th element from the position. */
  public @type@ get(long i) {
    return block().get@Accessor@(at(i));
  }

  /** Reads as many elements as the array takes; returns this. */
  public @Name@Pointer get(@type@[] target) {
    return get(target, 0, target.length);
  }

  /** Reads elements into a part of an array; returns this. */
  public @Name@Pointer get(@type@[] target, int offset, int length) {
    range(length);
    asBuffer(length).get(target, offset, length);
    return this;
  }

  /** Writes the element at the position; returns this. */
  public @Name@Pointer put(@type@ value) {
    return put(0, value);
  }

  /** Writes the i-th element from the position; returns this. */
  public @Name@Pointer put(long i, @type@ value) {
    block().put@Accessor@(at(i), value);
    return this;
  }

  /** Writes the array from the position on; returns this. */
  public @Name@Pointer put(@type@... values) {
    return put(values, 0, values.length);
  }

  /** Writes a part of an array from the position on; returns this. */
  public @Name@Pointer put(@type@[] values, int offset, int length) {
    range(length);
    asBuffer(length).put(values, offset, length);
    return this;
  }

  /** The elements from the position to the limit. */
  public @type@[] toArray() {
    @type@[] values = new @type@[Math.toIntExact(limit() - position())];
    get(values);
    return values;
  }

  @Override
  public @Name@Pointer position(long newPosition) {
    super.position(newPosition);
    return this;
  }

  @Override
  public @Name@Pointer limit(long newLimit) {
    super.limit(newLimit);
    return this;
  }

  @Override
  public @Name@Pointer capacity(long newCapacity) {
    super.capacity(newCapacity);
    return this;
  }

  @Override
  public @Name@Pointer getPointer(long i) {
    return new @Name@Pointer(skip(i));
  }

  @Override
  public @Name@Buffer asBuffer() {
    return bytes().as@Name@Buffer();
  }

  /** The given number of elements from the position on, beyond the limit if need be. */
  private @Name@Buffer asBuffer(int length) {
    ByteBuffer all = block().duplicate().order(block().order());
    int start = (int) position() * @size@;
    all.limit(start + length * @size@).position(start);
    return all.as@Name@Buffer();
  }
}
"""

VECTOR = """\
package org.onetape;

import java.util.Arrays;

/** A list of @noun@ that can grow. */
public final class @Name@Vector extends Value {
  private @type@[] values;
  private int size;

  /** An empty list. */
  public @Name@Vector() {
    this(new @type@[0]);
  }

  /** A list with one element. */
  public @Name@Vector(@type@ value) {
    this(new @type@[] {value});
  }

  /** A list with the given elements. */
  public @Name@Vector(@type@... values) {
    this.values = values.clone();
    this.size = values.length;
  }

  /** The number of elements. */
  public long size() {
    return size;
  }

  /** Whether there are no elements. */
  public boolean empty() {
    return size == 0;
  }

  /** Removes every element. */
  public void clear() {
    size = 0;
  }

  /** Removes elements from the end, or adds @zeros@ there; returns this. */
  public @Name@Vector resize(long newSize) {
    int n = Math.toIntExact(newSize);
    if (n > values.length) {
      values = Arrays.copyOf(values, n);
    }
    if (n > size) {
      Arrays.fill(values, size, n, @zero@);
    }
    size = n;
    return this;
  }

  /** The elements as an array of their own. */
  public @type@[] get() {
    return Arrays.copyOf(values, size);
  }

  /** The i-th element. */
  public @type@ get(long i) {
    return values[check(i)];
  }

  /** The first element. */
  public @type@ front() {
    return get(0);
  }

  /** The last element. */
  public @type@ back() {
    return get(size - 1L);
  }

  /** Replaces the i-th element; returns this. */
  public @Name@Vector put(long i, @type@ value) {
    values[check(i)] = value;
    return this;
  }

  /** Replaces everything by the given elements; returns this. */
  public @Name@Vector put(@type@... newValues) {
    values = newValues.clone();
    size = newValues.length;
    return this;
  }

  /** Replaces everything by one element; returns this. */
  public @Name@Vector put(@type@ value) {
    return put(new @type@[] {value});
  }

  /** Replaces everything by the other's elements; returns this. */
  public @Name@Vector put(@Name@Vector other) {
    return put(other.get());
  }

  /** Adds an element at the end; returns this. */
  public @Name@Vector push_back(@type@ value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, Math.max(4, size + (size >> 1)));
    }
    values[size++] = value;
    return this;
  }

  /** Removes the last element and returns it. */
  public @type@ pop_back() {
    @type@ last = back();
    size--;
    return last;
  }

  private int check(long i) {
    if (i < 0 || i >= size) {
      throw new IndexOutOfBoundsException("index " + i + " of a @Name@Vector of " + size);
    }
    return (int) i;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof @Name@Vector && Arrays.equals(((@Name@Vector) other).get(), get());
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(get());
  }

  /** The elements between brackets. */
  @Override
  public String toString() {
    return Arrays.toString(get());
  }
}
"""


INDEXER = """\
package org.onetape;

/** Reads and writes single @noun@ of a tensor. */
public final class @Name@Indexer extends Indexer {
  @Name@Indexer(Tensor tensor) {
    super(tensor);
  }

  private @type@ read(int place) {
    return @read@;
  }

  private @Name@Indexer write(int place, @type@ value) {
    memory().put@Accessor@(place, @write@);
    return this;
  }

  /** The element at an index of the first dimension. */
  public @type@ get(long i) {
    return read(at(i));
  }

  /** The element at two indices. */
  public @type@ get(long i, long j) {
    return read(at(i, j));
  }

  /** The element at three indices. */
  public @type@ get(long i, long j, long k) {
    return read(at(i, j, k));
  }

  /** The element at any number of indices. */
  public @type@ get(long... indices) {
    return read(at(indices));
  }

  /** Replaces the element at an index of the first dimension; returns this. */
  public @Name@Indexer put(long i, @type@ value) {
    return write(at(i), value);
  }

  /** Replaces the element at two indices; returns this. */
  public @Name@Indexer put(long i, long j, @type@ value) {
    return write(at(i, j), value);
  }

  /** Replaces the element at three indices; returns this. */
  public @Name@Indexer put(long i, long j, long k, @type@ value) {
    return write(at(i, j, k), value);
  }

  /** Replaces the element at any number of indices; returns this. */
  public @Name@Indexer put(long[] indices, @type@ value) {
    return write(at(indices), value);
  }
}
"""
