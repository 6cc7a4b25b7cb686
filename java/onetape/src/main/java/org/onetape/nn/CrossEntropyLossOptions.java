package org.onetape.nn;

import org.onetape.DoublePointer;
import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.Value;

/** How a {@link CrossEntropyLossImpl} is made. */
public final class CrossEntropyLossOptions extends Value {
  private LossReduction reduction = new kMean();
  private final LongPointer ignoreIndex = new LongPointer(new long[] {-100});
  private Tensor weight = new Tensor();
  private final DoublePointer labelSmoothing = new DoublePointer(new double[] {0});

  /** The mean over all elements, every class counting the same. */
  public CrossEntropyLossOptions() {}

  /** How the losses of the elements become one number. */
  public LossReduction reduction() {
    return reduction;
  }

  /** Sets how the losses of the elements become one number; returns this. */
  public CrossEntropyLossOptions reduction(LossReduction newReduction) {
    reduction = newReduction;
    return this;
  }

  /** The target whose elements do not count. */
  public LongPointer ignore_index() {
    return ignoreIndex;
  }

  /** Sets the target whose elements do not count; returns this. */
  public CrossEntropyLossOptions ignore_index(long index) {
    ignoreIndex.put(index);
    return this;
  }

  /** How much each class counts; undefined where all count the same. */
  public Tensor weight() {
    return weight;
  }

  /** Sets how much each class counts; returns this. */
  public CrossEntropyLossOptions weight(Tensor newWeight) {
    weight = newWeight;
    return this;
  }

  /** How much of the target is spread over all classes. */
  public DoublePointer label_smoothing() {
    return labelSmoothing;
  }

  /** Sets how much of the target is spread over all classes; returns this. */
  public CrossEntropyLossOptions label_smoothing(double share) {
    labelSmoothing.put(share);
    return this;
  }
}
