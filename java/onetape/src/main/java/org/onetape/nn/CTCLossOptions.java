package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.LongPointer;

/** How a {@link CTCLossImpl} is made. */
public final class CTCLossOptions extends LossOptionsBase<CTCLossOptions> {
  private final LongPointer blank = new LongPointer(new long[] {0});
  private final BoolPointer zeroInfinity = new BoolPointer(false);

  /** The default numbers, and the mean over all samples. */
  public CTCLossOptions() {}

  /** The given reduction. */
  public CTCLossOptions(LossReduction reduction) {
    reduction(reduction);
  }

  @Override
  CTCLossOptions self() {
    return this;
  }

  /** The class that stands for no label. */
  public LongPointer blank() {
    return blank;
  }

  /** Sets the class that stands for no label; returns this. */
  public CTCLossOptions blank(long value) {
    blank.put(value);
    return this;
  }

  /** Whether 0 is taken where a sequence is impossible. */
  public BoolPointer zero_infinity() {
    return zeroInfinity;
  }

  /** Sets whether 0 is taken where a sequence is impossible; returns this. */
  public CTCLossOptions zero_infinity(boolean value) {
    zeroInfinity.put(value);
    return this;
  }
}
