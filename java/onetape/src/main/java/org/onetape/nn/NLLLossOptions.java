package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.Value;

/** How a {@link NLLLossImpl} is made. */
public final class NLLLossOptions extends Value {
  private LossReduction reduction = new kMean();
  private final LongPointer ignoreIndex = new LongPointer(new long[] {-100});
  private Tensor weight = new Tensor();

  /** The mean over all elements, every class counting the same. */
  public NLLLossOptions() {}

  /** How the losses of the elements become one number. */
  public LossReduction reduction() {
    return reduction;
  }

  /** Sets how the losses of the elements become one number; returns this. */
  public NLLLossOptions reduction(LossReduction newReduction) {
    reduction = newReduction;
    return this;
  }

  /** The target whose elements do not count. */
  public LongPointer ignore_index() {
    return ignoreIndex;
  }

  /** Sets the target whose elements do not count; returns this. */
  public NLLLossOptions ignore_index(long index) {
    ignoreIndex.put(index);
    return this;
  }

  /** How much each class counts; undefined where all count the same. */
  public Tensor weight() {
    return weight;
  }

  /** Sets how much each class counts; returns this. */
  public NLLLossOptions weight(Tensor newWeight) {
    weight = newWeight;
    return this;
  }
}
