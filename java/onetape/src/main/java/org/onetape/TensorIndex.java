package org.onetape;

/** One of the indices between brackets: a position, a range, a tensor, {@code ...} or none. */
public final class TensorIndex extends Value {
  /** The kinds, in the order of the codes that native code reads. */
  enum Kind {
    NONE,
    ELLIPSIS,
    INTEGER,
    BOOLEAN,
    SLICE,
    TENSOR
  }

  final Kind kind;
  final Object value;

  private TensorIndex(Kind kind, Object value) {
    this.kind = kind;
    this.value = value;
  }

  /** A new dimension of size one. */
  public TensorIndex() {
    this(Kind.NONE, null);
  }

  /** Every position of as many dimensions as are not indexed otherwise. */
  public TensorIndex(EllipsisIndexType ellipsis) {
    this(Kind.ELLIPSIS, null);
  }

  /**
   * Every position of as many dimensions as are not indexed otherwise.
   *
   * @param dots three dots
   */
  public TensorIndex(String dots) {
    this(Kind.ELLIPSIS, null);
    if (!dots.equals("...")) {
      throw new IllegalArgumentException(
          "Expected \"...\" to represent an ellipsis index, but got \"" + dots + "\"");
    }
  }

  /** A position, which counts from the end if negative. */
  public TensorIndex(long position) {
    this(Kind.INTEGER, position);
  }

  /** A position, which counts from the end if negative. */
  public TensorIndex(int position) {
    this((long) position);
  }

  /** A new dimension of size one if true, of size zero if false. */
  public TensorIndex(boolean value) {
    this(Kind.BOOLEAN, value);
  }

  /** A range of positions. */
  public TensorIndex(Slice range) {
    this(Kind.SLICE, range);
  }

  /** The positions that a tensor of integers holds, or those where a tensor of booleans is true. */
  public TensorIndex(Tensor positions) {
    this(Kind.TENSOR, positions);
  }

  /** Whether this makes a new dimension. */
  public boolean is_none() {
    return kind == Kind.NONE;
  }

  /** Whether this is {@code ...}. */
  public boolean is_ellipsis() {
    return kind == Kind.ELLIPSIS;
  }

  /** Whether this is a position. */
  public boolean is_integer() {
    return kind == Kind.INTEGER;
  }

  /** Whether this is a boolean. */
  public boolean is_boolean() {
    return kind == Kind.BOOLEAN;
  }

  /** Whether this is a range. */
  public boolean is_slice() {
    return kind == Kind.SLICE;
  }

  /** Whether this is a tensor. */
  public boolean is_tensor() {
    return kind == Kind.TENSOR;
  }

  @Override
  public String toString() {
    return kind == Kind.NONE ? "None" : kind == Kind.ELLIPSIS ? "..." : String.valueOf(value);
  }
}
