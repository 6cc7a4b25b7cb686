package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.DoubleOptional;
import org.onetape.DoublePointer;
import org.onetape.LongPointer;
import org.onetape.Value;

/**
 * How an {@link InstanceNorm1dImpl}, {@link InstanceNorm2dImpl} or {@link InstanceNorm3dImpl} is
 * made.
 */
public final class InstanceNormOptions extends Value {
  private final LongPointer numFeatures;
  private final DoublePointer eps = new DoublePointer(new double[] {1e-5});
  private final DoubleOptional momentum = new DoubleOptional(0.1);
  private final BoolPointer affine = new BoolPointer(false);
  private final BoolPointer trackRunningStats = new BoolPointer(false);

  /** For so many channels. */
  public InstanceNormOptions(long numFeatures) {
    this.numFeatures = new LongPointer(new long[] {numFeatures});
  }

  /** How many channels there are. */
  public LongPointer num_features() {
    return numFeatures;
  }

  /** Sets how many channels there are; returns this. */
  public InstanceNormOptions num_features(long value) {
    numFeatures.put(value);
    return this;
  }

  /** What is added to the variance. */
  public DoublePointer eps() {
    return eps;
  }

  /** Sets what is added to the variance; returns this. */
  public InstanceNormOptions eps(double value) {
    eps.put(value);
    return this;
  }

  /** Whether there are weight and bias. */
  public BoolPointer affine() {
    return affine;
  }

  /** Sets whether there are weight and bias; returns this. */
  public InstanceNormOptions affine(boolean value) {
    affine.put(value);
    return this;
  }

  /** Whether there are running statistics. */
  public BoolPointer track_running_stats() {
    return trackRunningStats;
  }

  /** Sets whether there are running statistics; returns this. */
  public InstanceNormOptions track_running_stats(boolean value) {
    trackRunningStats.put(value);
    return this;
  }

  /** The share of a batch in the running statistics; none: they are the mean of all batches. */
  public DoubleOptional momentum() {
    return momentum;
  }

  /** Sets the share of a batch in the running statistics; returns this. */
  public InstanceNormOptions momentum(DoubleOptional value) {
    momentum.put(value);
    return this;
  }

  /** Sets the share of a batch in the running statistics; returns this. */
  public InstanceNormOptions momentum(double value) {
    momentum.put(value);
    return this;
  }
}
