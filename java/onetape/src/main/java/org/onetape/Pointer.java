package org.onetape;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.onetape.internal.Engine;

/**
 * A block of memory outside the Java heap, seen as elements of one type.
 *
 * <p>Elements are addressed relative to {@link #position()}. Every access is checked against the
 * block. The memory is given back by the garbage collector when neither a pointer, nor a buffer
 * made from one, nor a tensor made from it with {@code from_blob} is in use any more, so that a
 * pointer that was closed too early cannot do harm.
 */
public class Pointer extends Value {
  private ByteBuffer memory;
  private long position;
  private long limit;
  private long capacity;

  /** The null pointer. */
  public Pointer() {}

  /** The same memory as another pointer, from its position to its limit. */
  public Pointer(Pointer other) {
    view(other);
  }

  /** The same memory as a direct buffer, from its position to its limit. */
  public Pointer(ByteBuffer buffer) {
    share(buffer);
  }

  final void allocate(long elements) {
    long bytes = Math.multiplyExact(elements, (long) sizeof());
    if (bytes < 0 || bytes > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          getClass().getSimpleName() + " of " + elements + " elements: not possible");
    }
    memory = ByteBuffer.allocateDirect((int) bytes).order(ByteOrder.nativeOrder());
    limit = capacity = elements;
  }

  final void share(ByteBuffer buffer) {
    if (!buffer.isDirect()) {
      allocate(buffer.remaining() / sizeof());
      memory.duplicate().put(buffer.duplicate().limit(buffer.position() + memory.capacity()));
      return;
    }
    memory = buffer.slice().order(ByteOrder.nativeOrder());
    limit = capacity = memory.capacity() / sizeof();
  }

  final void view(Pointer other) {
    if (other.memory != null) {
      share(other.bytes());
    }
  }

  /** The bytes from position to limit, sharing memory. */
  final ByteBuffer bytes() {
    ByteBuffer all = block().duplicate();
    all.limit((int) (limit * sizeof())).position((int) (position * sizeof()));
    return all.slice().order(ByteOrder.nativeOrder());
  }

  final ByteBuffer block() {
    if (memory == null) {
      throw new IllegalStateException(getClass().getSimpleName() + " is null or was closed");
    }
    return memory;
  }

  /** The place in bytes of the i-th element from the position, after a check. */
  final int at(long i) {
    block();
    long element = position + i;
    if (element < 0 || element >= capacity) {
      throw new IndexOutOfBoundsException(
          "element " + element + " of " + getClass().getSimpleName() + " with " + capacity);
    }
    return (int) (element * sizeof());
  }

  /** Returns the place in bytes of n elements from the position, after a check. */
  final int range(long n) {
    if (n > 0) {
      at(n - 1);
    }
    return n == 0 ? 0 : at(0);
  }

  /** The bytes an element takes. */
  public int sizeof() {
    return 1;
  }

  /** The element that {@code get()} reads. */
  public long position() {
    return position;
  }

  /** Moves to another element; returns this. */
  public Pointer position(long newPosition) {
    position = within("position", newPosition);
    return this;
  }

  /** The end of the elements in use. */
  public long limit() {
    return limit;
  }

  /** Sets the end of the elements in use; returns this. */
  public Pointer limit(long newLimit) {
    limit = within("limit", newLimit);
    return this;
  }

  /** How many elements the block has. */
  public long capacity() {
    return capacity;
  }

  /** Makes the block end earlier; returns this. */
  public Pointer capacity(long newCapacity) {
    capacity = within("capacity", newCapacity);
    limit = Math.min(limit, capacity);
    return this;
  }

  private long within(String what, long value) {
    if (value < 0 || value > capacity) {
      throw new IllegalArgumentException(
          what + " " + value + " of " + getClass().getSimpleName() + " with " + capacity);
    }
    return value;
  }

  /** A pointer to the i-th element from the position, of the same kind. */
  public Pointer getPointer(long i) {
    return new Pointer(skip(i));
  }

  final ByteBuffer skip(long i) {
    ByteBuffer rest = bytes();
    long start = i * sizeof();
    if (start < 0 || start > rest.capacity()) {
      throw new IndexOutOfBoundsException(
          "element " + i + " of " + getClass().getSimpleName() + " with " + (limit - position));
    }
    return rest.position((int) start).slice();
  }

  /** The address of the block, to be shown or compared; 0 of the null pointer. */
  public long address() {
    return memory == null ? 0 : Engine.address(memory);
  }

  /** Whether this points to nothing. */
  @Override
  public boolean isNull() {
    return memory == null;
  }

  /** Whether the pointer is null or points to nothing. */
  public static boolean isNull(Pointer pointer) {
    return pointer == null || pointer.isNull();
  }

  /** Makes this point to nothing. */
  public void setNull() {
    memory = null;
    position = limit = capacity = 0;
  }

  /** Lets go of the memory; using the pointer afterwards is an error. */
  @Override
  public void close() {
    setNull();
  }

  /** Lets go of a pointer's memory. */
  public static void free(Pointer pointer) {
    if (pointer != null) {
      pointer.close();
    }
  }

  /** The bytes from position to limit as a buffer that shares the memory. */
  public ByteBuffer asByteBuffer() {
    return bytes();
  }

  /** The elements from position to limit as a buffer that shares the memory. */
  public Buffer asBuffer() {
    return bytes();
  }

  /** Copies the other's elements, from its position to its limit, to this; returns this. */
  public Pointer put(Pointer other) {
    memcpy(this, other, (other.limit - other.position) * other.sizeof());
    return this;
  }

  /** Sets every byte from position to limit to zero; returns this. */
  public Pointer zero() {
    return fill(0);
  }

  /** Sets every byte from position to limit; returns this. */
  public Pointer fill(int value) {
    ByteBuffer target = bytes();
    while (target.hasRemaining()) {
      target.put((byte) value);
    }
    return this;
  }

  /** Copies bytes from one pointer's position to another's; returns the target. */
  public static Pointer memcpy(Pointer target, Pointer source, long bytes) {
    ByteBuffer from = source.bytes();
    ByteBuffer to = target.bytes();
    if (bytes < 0 || bytes > from.capacity() || bytes > to.capacity()) {
      throw new IndexOutOfBoundsException(
          "copy of " + bytes + " bytes from " + from.capacity() + " to " + to.capacity());
    }
    to.put(from.limit((int) bytes));
    return target;
  }

  /** Whether both point to the same element of blocks that start at the same place. */
  @Override
  public boolean equals(Object other) {
    if (!(other instanceof Pointer)) {
      return false;
    }
    Pointer that = (Pointer) other;
    return that.address() == address() && that.position == position;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(address()) + Long.hashCode(position);
  }

  /** The class, position, limit and capacity. */
  @Override
  public String toString() {
    return getClass().getSimpleName()
        + (isNull()
            ? "[null]"
            : "[position=" + position + ",limit=" + limit + ",capacity=" + capacity + "]");
  }
}
