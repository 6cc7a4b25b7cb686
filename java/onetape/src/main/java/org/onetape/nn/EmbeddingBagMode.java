package org.onetape.nn;

import org.onetape.Value;

/** What becomes of the vectors of a bag: {@link kSum}, {@link kMean} or {@link kMax}. */
public final class EmbeddingBagMode extends Value {
  private final String word;

  /** The sum. */
  public EmbeddingBagMode(kSum mode) {
    this(mode.toString());
  }

  /** The mean. */
  public EmbeddingBagMode(kMean mode) {
    this(mode.toString());
  }

  /** The maximum. */
  public EmbeddingBagMode(kMax mode) {
    this(mode.toString());
  }

  private EmbeddingBagMode(String word) {
    this.word = word;
  }

  /** The name: {@code sum}, {@code mean} or {@code max}. */
  @Override
  public String toString() {
    return word;
  }
}
