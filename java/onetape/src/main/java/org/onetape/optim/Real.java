package org.onetape.optim;

/**
 * A number of a calculation that in Python mixes numbers with tensors of one element: one that came
 * from single-precision tensors is rounded to them.
 */
final class Real {
  final double value;
  private final boolean single;

  private Real(double value, boolean single) {
    this.value = single ? (float) value : value;
    this.single = single;
  }

  /** A plain number. */
  static Real of(double value) {
    return new Real(value, false);
  }

  /** The element of a tensor. */
  static Real of(double value, boolean single) {
    return new Real(value, single);
  }

  private double beside(Real other) {
    return other.single ? (float) value : value;
  }

  private Real with(Real other, double result) {
    return new Real(result, single || other.single);
  }

  Real plus(Real other) {
    return with(other, beside(other) + other.beside(this));
  }

  Real minus(Real other) {
    return with(other, beside(other) - other.beside(this));
  }

  Real times(Real other) {
    return with(other, beside(other) * other.beside(this));
  }

  Real times(double factor) {
    return times(of(factor));
  }

  Real over(Real other) {
    return with(other, beside(other) / other.beside(this));
  }

  Real root() {
    return new Real(Math.sqrt(value), single);
  }

  Real abs() {
    return new Real(Math.abs(value), single);
  }

  boolean less(Real other) {
    return beside(other) < other.beside(this);
  }

  boolean less(double other) {
    return less(of(other));
  }

  boolean atMost(Real other) {
    return beside(other) <= other.beside(this);
  }

  static Real least(Real a, Real b) {
    return b.less(a) ? b : a;
  }

  static Real most(Real a, Real b) {
    return a.less(b) ? b : a;
  }
}
