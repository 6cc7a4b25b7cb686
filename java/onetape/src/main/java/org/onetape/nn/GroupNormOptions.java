package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.DoublePointer;
import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link GroupNormImpl} is made. */
public final class GroupNormOptions extends Value {
  private final LongPointer numGroups;
  private final LongPointer numChannels;
  private final DoublePointer eps = new DoublePointer(new double[] {1e-5});
  private final BoolPointer affine = new BoolPointer(true);

  /** So many groups of so many channels in all. */
  public GroupNormOptions(long numGroups, long numChannels) {
    this.numGroups = new LongPointer(new long[] {numGroups});
    this.numChannels = new LongPointer(new long[] {numChannels});
  }

  /** How many groups there are. */
  public LongPointer num_groups() {
    return numGroups;
  }

  /** Sets how many groups there are; returns this. */
  public GroupNormOptions num_groups(long value) {
    numGroups.put(value);
    return this;
  }

  /** How many channels there are. */
  public LongPointer num_channels() {
    return numChannels;
  }

  /** Sets how many channels there are; returns this. */
  public GroupNormOptions num_channels(long value) {
    numChannels.put(value);
    return this;
  }

  /** What is added to the variance. */
  public DoublePointer eps() {
    return eps;
  }

  /** Sets what is added to the variance; returns this. */
  public GroupNormOptions eps(double value) {
    eps.put(value);
    return this;
  }

  /** Whether there are weight and bias. */
  public BoolPointer affine() {
    return affine;
  }

  /** Sets whether there are weight and bias; returns this. */
  public GroupNormOptions affine(boolean value) {
    affine.put(value);
    return this;
  }
}
