package org.onetape.nn;

import org.onetape.Value;

/**
 * What a convolution puts around its input: {@link kZeros}, {@link kReflect}, {@link kReplicate} or
 * {@link kCircular}.
 */
public class ConvPaddingMode extends Value {
  private final String word;

  /** The mode that another one is. */
  public ConvPaddingMode(ConvPaddingMode other) {
    this(other.word);
  }

  ConvPaddingMode(String word) {
    this.word = word;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ConvPaddingMode && ((ConvPaddingMode) other).word.equals(word);
  }

  @Override
  public int hashCode() {
    return word.hashCode();
  }

  /** The name: {@code zeros}, {@code reflect}, {@code replicate} or {@code circular}. */
  @Override
  public String toString() {
    return word;
  }
}
