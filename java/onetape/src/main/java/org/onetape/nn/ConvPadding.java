package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Value;

/** How much a convolution puts around its input: numbers, or a word. */
public abstract class ConvPadding extends Value {
  private final Expanded numbers;
  private String word;

  ConvPadding(int dims, long... numbers) {
    this.numbers = Expanded.of(dims, numbers);
  }

  /** The numbers; those before it where there is a word. */
  public LongPointer get0() {
    return numbers.pointer();
  }

  /** Sets the numbers: one, or one a dimension. */
  public void put(LongPointer values) {
    numbers.put(values);
    word = null;
  }

  /** Sets the numbers: one, or one a dimension. */
  public void put(long... values) {
    numbers.put(values);
    word = null;
  }

  /** No padding. */
  public void put(kValid valid) {
    word = "valid";
  }

  /** As much as makes the result as large as the input. */
  public void put(kSame same) {
    word = "same";
  }

  void put(ConvPadding other) {
    numbers.put(other.numbers.get());
    word = other.word;
  }

  /** {@code same}, {@code valid}, or null where there are numbers. */
  String word() {
    return word;
  }

  long[] values() {
    return numbers.get();
  }

  boolean isZero() {
    return word == null && numbers.isAll(0);
  }

  @Override
  public String toString() {
    return word == null ? numbers.toString() : word;
  }
}
