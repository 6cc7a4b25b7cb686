package org.onetape.nn;

import org.onetape.Value;

/**
 * How the losses of the elements become one number: {@link kMean}, {@link kSum} or {@link kNone}.
 */
public class LossReduction extends Value {
  private final String word;

  LossReduction(String word) {
    this.word = word;
  }

  /**
   * A reduction by its name.
   *
   * @param word {@code mean}, {@code sum} or {@code none}
   */
  public static LossReduction of(String word) {
    if (!word.equals("mean") && !word.equals("sum") && !word.equals("none")) {
      throw new IllegalArgumentException(word + " is not a valid value for reduction");
    }
    return new LossReduction(word);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LossReduction && ((LossReduction) other).word.equals(word);
  }

  @Override
  public int hashCode() {
    return word.hashCode();
  }

  /** The name: {@code mean}, {@code sum} or {@code none}. */
  @Override
  public String toString() {
    return word;
  }
}
