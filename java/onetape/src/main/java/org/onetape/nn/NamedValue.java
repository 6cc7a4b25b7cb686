package org.onetape.nn;

import org.onetape.Value;

/** One of the words that an option may be; equal to the same word of the same option. */
public abstract class NamedValue extends Value {
  private final Class<? extends NamedValue> option;
  private final String word;

  NamedValue(Class<? extends NamedValue> option, String word) {
    this.option = option;
    this.word = word;
  }

  @Override
  public final boolean equals(Object other) {
    return other instanceof NamedValue
        && ((NamedValue) other).option == option
        && ((NamedValue) other).word.equals(word);
  }

  @Override
  public final int hashCode() {
    return word.hashCode();
  }

  /** The word, as PyTorch spells it. */
  @Override
  public final String toString() {
    return word;
  }
}
