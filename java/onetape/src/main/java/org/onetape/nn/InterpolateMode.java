package org.onetape.nn;

/**
 * How elements between others are found: {@link kNearest}, {@link kNearestExact}, {@link kArea},
 * {@link kLinear}, {@link kBilinear}, {@link kBicubic} or {@link kTrilinear}.
 */
public class InterpolateMode extends NamedValue {
  /** The mode that another one is. */
  public InterpolateMode(InterpolateMode other) {
    this(other.toString());
  }

  InterpolateMode(String word) {
    super(InterpolateMode.class, word);
  }
}
