package org.onetape;

/** A list of pointers of a fixed length. */
public final class PointerPointer extends Value {
  private final Pointer[] pointers;

  /** The given number of null pointers. */
  public PointerPointer(long size) {
    pointers = new Pointer[Math.toIntExact(size)];
  }

  /** The given pointers. */
  public PointerPointer(Pointer... pointers) {
    this.pointers = pointers.clone();
  }

  /** The number of pointers. */
  public long capacity() {
    return pointers.length;
  }

  /** The i-th pointer. */
  public Pointer get(long i) {
    return pointers[Math.toIntExact(i)];
  }

  /** Replaces the i-th pointer; returns this. */
  public PointerPointer put(long i, Pointer pointer) {
    pointers[Math.toIntExact(i)] = pointer;
    return this;
  }
}
