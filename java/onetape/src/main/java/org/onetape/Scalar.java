package org.onetape;

import org.onetape.global.torch.ScalarType;

/**
 * One number as an operand: a floating-point number, an integer or a boolean.
 *
 * <p>Which of the three decides the element type of results: an integer tensor times {@code new
 * Scalar(2)} stays an integer tensor, times {@code new Scalar(2.0)} it becomes a floating-point
 * one.
 */
public final class Scalar extends Value {
  private enum Kind {
    DOUBLE,
    LONG,
    BOOL
  }

  private final Kind kind;
  private final long bits;

  private Scalar(Kind kind, long bits) {
    this.kind = kind;
    this.bits = bits;
  }

  /** A floating-point number. */
  public Scalar(double value) {
    this(Kind.DOUBLE, Double.doubleToRawLongBits(value));
  }

  /** A floating-point number. */
  public Scalar(float value) {
    this((double) value);
  }

  /** An integer. */
  public Scalar(long value) {
    this(Kind.LONG, value);
  }

  /** An integer. */
  public Scalar(int value) {
    this(Kind.LONG, value);
  }

  /** An integer. */
  public Scalar(short value) {
    this(Kind.LONG, value);
  }

  /** An integer. */
  public Scalar(byte value) {
    this(Kind.LONG, value);
  }

  /** A boolean. */
  public Scalar(boolean value) {
    this(Kind.BOOL, value ? 1 : 0);
  }

  /** The same number as another scalar. */
  public Scalar(Scalar other) {
    this(other.kind, other.bits);
  }

  /** The number as a double; a boolean counts as 0 or 1. */
  public double toDouble() {
    return kind == Kind.DOUBLE ? Double.longBitsToDouble(bits) : bits;
  }

  /** The number as a float. */
  public float toFloat() {
    return (float) toDouble();
  }

  /** The number as a long; the fraction of a floating-point number is dropped. */
  public long toLong() {
    return kind == Kind.DOUBLE ? (long) Double.longBitsToDouble(bits) : bits;
  }

  /**
   * The number as an int.
   *
   * @throws ArithmeticException if it does not fit
   */
  public int toInt() {
    return Math.toIntExact(toLong());
  }

  /**
   * The number as a short.
   *
   * @throws ArithmeticException if it does not fit
   */
  public short toShort() {
    return (short) within(Short.MIN_VALUE, Short.MAX_VALUE);
  }

  /**
   * The number as a signed byte.
   *
   * @throws ArithmeticException if it does not fit
   */
  public byte toChar() {
    return (byte) within(Byte.MIN_VALUE, Byte.MAX_VALUE);
  }

  /**
   * The number as an unsigned byte; values above 127 come out negative, as Java has no unsigned
   * byte.
   *
   * @throws ArithmeticException if it is not in 0 to 255
   */
  public byte toByte() {
    return (byte) within(0, 255);
  }

  /** Whether the number is not zero. */
  public boolean toBool() {
    return kind == Kind.DOUBLE ? toDouble() != 0 : bits != 0;
  }

  /** Whether this is a floating-point number. */
  public boolean isFloatingPoint() {
    return kind == Kind.DOUBLE;
  }

  /**
   * Whether this is an integer.
   *
   * @param includeBool whether a boolean counts as one
   */
  public boolean isIntegral(boolean includeBool) {
    return kind == Kind.LONG || (includeBool && kind == Kind.BOOL);
  }

  /** Whether this is a boolean. */
  public boolean isBoolean() {
    return kind == Kind.BOOL;
  }

  /** Whether this is a complex number: never. */
  public boolean isComplex() {
    return false;
  }

  /** Whether the number equals the given one. */
  public boolean equal(double other) {
    return toDouble() == other;
  }

  /** Whether the number equals the given one. */
  public boolean equal(long other) {
    return kind == Kind.DOUBLE ? toDouble() == other : bits == other;
  }

  /** The element type of a tensor made from this number alone. */
  public ScalarType type() {
    switch (kind) {
      case DOUBLE:
        return ScalarType.Double;
      case LONG:
        return ScalarType.Long;
      default:
        return ScalarType.Bool;
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Scalar
        && ((Scalar) other).kind == kind
        && ((Scalar) other).bits == bits;
  }

  @Override
  public int hashCode() {
    return 31 * kind.ordinal() + Long.hashCode(bits);
  }

  @Override
  public String toString() {
    switch (kind) {
      case DOUBLE:
        return Double.toString(toDouble());
      case LONG:
        return Long.toString(bits);
      default:
        return Boolean.toString(bits != 0);
    }
  }

  private long within(long low, long high) {
    long value = toLong();
    if (value < low || value > high) {
      throw new ArithmeticException(value + " is not in " + low + " to " + high);
    }
    return value;
  }
}
