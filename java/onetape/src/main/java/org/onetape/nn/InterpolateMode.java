package org.onetape.nn;

import org.onetape.Value;

/**
 * How elements between others are found: {@link kNearest}, {@link kNearestExact}, {@link kArea},
 * {@link kLinear}, {@link kBilinear}, {@link kBicubic} or {@link kTrilinear}.
 */
public class InterpolateMode extends Value {
  private final String word;

  /** The mode that another one is. */
  public InterpolateMode(InterpolateMode other) {
    this(other.word);
  }

  InterpolateMode(String word) {
    this.word = word;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof InterpolateMode && ((InterpolateMode) other).word.equals(word);
  }

  @Override
  public int hashCode() {
    return word.hashCode();
  }

  /** The name, such as {@code bilinear}. */
  @Override
  public String toString() {
    return word;
  }
}
