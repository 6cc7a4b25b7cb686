package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Value;

/** Numbers of which there is one a dimension; a single one stands for all. */
final class Expanded extends Value {
  private final LongPointer values;

  private Expanded(LongPointer values) {
    this.values = values;
  }

  static Expanded of(int dims, long... given) {
    Expanded made = new Expanded(new LongPointer(new long[dims]));
    made.put(given);
    return made;
  }

  LongPointer pointer() {
    return values;
  }

  long[] get() {
    return values.toArray();
  }

  void put(LongPointer given) {
    put(given.toArray());
  }

  void put(long... given) {
    int dims = Math.toIntExact(values.limit());
    if (given.length != 1 && given.length != dims) {
      throw new IllegalArgumentException(
          "Expected " + dims + " values, but instead got " + given.length);
    }
    for (int d = 0; d < dims; d++) {
      values.put(d, given[given.length == 1 ? 0 : d]);
    }
  }

  boolean isAll(long number) {
    for (long value : get()) {
      if (value != number) {
        return false;
      }
    }
    return true;
  }

  /** As PyTorch shows a tuple: {@code (1, 2)}, {@code (1,)}. */
  @Override
  public String toString() {
    return PythonText.of(get());
  }
}
