package org.onetape;

/** The index {@code ...}: every position of as many dimensions as are not indexed otherwise. */
public final class EllipsisIndexType extends Value {
  /** The index. */
  public EllipsisIndexType() {}

  @Override
  public String toString() {
    return "...";
  }
}
