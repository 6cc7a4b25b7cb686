package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.DoublePointer;
import org.onetape.LongPointer;
import org.onetape.LongVector;
import org.onetape.Value;

/** How an {@link AdaptiveLogSoftmaxWithLossImpl} is made. */
public final class AdaptiveLogSoftmaxWithLossOptions extends Value {
  private LongVector cutoffs;
  private final LongPointer inFeatures = new LongPointer(new long[] {1});
  private final LongPointer nClasses = new LongPointer(new long[] {1});
  private final DoublePointer divValue = new DoublePointer(new double[] {4});
  private final BoolPointer headBias = new BoolPointer(false);

  /** Features, classes, and where clusters of rarer classes begin. */
  public AdaptiveLogSoftmaxWithLossOptions(long inFeatures, long nClasses, LongVector cutoffs) {
    this.cutoffs = cutoffs;
    in_features(inFeatures);
    n_classes(nClasses);
  }

  /** The number of features. */
  public LongPointer in_features() {
    return inFeatures;
  }

  /** Sets the number of features; returns this. */
  public AdaptiveLogSoftmaxWithLossOptions in_features(long value) {
    inFeatures.put(value);
    return this;
  }

  /** The number of classes. */
  public LongPointer n_classes() {
    return nClasses;
  }

  /** Sets the number of classes; returns this. */
  public AdaptiveLogSoftmaxWithLossOptions n_classes(long value) {
    nClasses.put(value);
    return this;
  }

  /** By how much the features of each cluster are fewer. */
  public DoublePointer div_value() {
    return divValue;
  }

  /** Sets by how much the features of each cluster are fewer; returns this. */
  public AdaptiveLogSoftmaxWithLossOptions div_value(double value) {
    divValue.put(value);
    return this;
  }

  /** Whether the head has a bias. */
  public BoolPointer head_bias() {
    return headBias;
  }

  /** Sets whether the head has a bias; returns this. */
  public AdaptiveLogSoftmaxWithLossOptions head_bias(boolean value) {
    headBias.put(value);
    return this;
  }

  /** Where clusters of rarer classes begin. */
  public LongVector cutoffs() {
    return cutoffs;
  }

  /** Sets where clusters of rarer classes begin; returns this. */
  public AdaptiveLogSoftmaxWithLossOptions cutoffs(LongVector value) {
    cutoffs = value;
    return this;
  }
}
