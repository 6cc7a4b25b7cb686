package org.onetape.nn;

/**
 * How the losses of the elements become one number: {@link kMean}, {@link kSum} or {@link kNone}.
 */
public class LossReduction extends NamedValue {
  LossReduction(String word) {
    super(LossReduction.class, word);
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
}
