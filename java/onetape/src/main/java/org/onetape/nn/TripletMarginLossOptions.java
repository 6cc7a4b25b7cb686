package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.DoublePointer;

/** How a {@link TripletMarginLossImpl} is made. */
public final class TripletMarginLossOptions extends LossOptionsBase<TripletMarginLossOptions> {
  private final DoublePointer margin = new DoublePointer(new double[] {1});
  private final DoublePointer p = new DoublePointer(new double[] {2});
  private final DoublePointer eps = new DoublePointer(new double[] {1e-6});
  private final BoolPointer swap = new BoolPointer(false);

  /** The default numbers, and the mean over all elements. */
  public TripletMarginLossOptions() {}

  /** The given reduction. */
  public TripletMarginLossOptions(LossReduction reduction) {
    reduction(reduction);
  }

  @Override
  TripletMarginLossOptions self() {
    return this;
  }

  /** How far distances are to be apart. */
  public DoublePointer margin() {
    return margin;
  }

  /** Sets how far distances are to be apart; returns this. */
  public TripletMarginLossOptions margin(double value) {
    margin.put(value);
    return this;
  }

  /** The norm of the distance. */
  public DoublePointer p() {
    return p;
  }

  /** Sets the norm of the distance; returns this. */
  public TripletMarginLossOptions p(double value) {
    p.put(value);
    return this;
  }

  /** What is added to differences. */
  public DoublePointer eps() {
    return eps;
  }

  /** Sets what is added to differences; returns this. */
  public TripletMarginLossOptions eps(double value) {
    eps.put(value);
    return this;
  }

  /** Whether the distance of positive and negative counts where it is less. */
  public BoolPointer swap() {
    return swap;
  }

  /** Sets whether the distance of positive and negative counts where it is less; returns this. */
  public TripletMarginLossOptions swap(boolean value) {
    swap.put(value);
    return this;
  }
}
