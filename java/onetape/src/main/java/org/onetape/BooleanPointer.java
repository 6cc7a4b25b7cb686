package org.onetape;

/** Another name for a pointer to booleans. */
public class BooleanPointer extends BoolPointer {
  /** The null pointer. */
  public BooleanPointer() {}

  /** Booleans with the given values. */
  public BooleanPointer(boolean... values) {
    super(values);
  }

  /** The given number of booleans, all false. */
  public BooleanPointer(long size) {
    super(size);
  }

  /** The same memory as another pointer, from its position to its limit. */
  public BooleanPointer(Pointer other) {
    super(other);
  }
}
