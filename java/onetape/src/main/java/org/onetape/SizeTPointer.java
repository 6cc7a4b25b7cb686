package org.onetape;

/** Sizes in memory outside the Java heap. */
public class SizeTPointer extends LongPointer {
  /** The null pointer. */
  public SizeTPointer() {}

  /** The given number of sizes, all zero. */
  public SizeTPointer(long size) {
    super(size);
  }

  /** The same memory as another pointer, from its position to its limit. */
  public SizeTPointer(Pointer other) {
    super(other);
  }
}
