package org.onetape.nn;

import java.util.function.BinaryOperator;
import org.onetape.BoolPointer;
import org.onetape.DoublePointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** How a {@link TripletMarginWithDistanceLossImpl} is made. */
public final class TripletMarginWithDistanceLossOptions
    extends LossOptionsBase<TripletMarginWithDistanceLossOptions> {
  private BinaryOperator<Tensor> distance = torch::pairwise_distance;
  private final DoublePointer margin = new DoublePointer(new double[] {1});
  private final BoolPointer swap = new BoolPointer(false);

  /** The distance of PyTorch's default. */
  public TripletMarginWithDistanceLossOptions() {}

  /** The given reduction. */
  public TripletMarginWithDistanceLossOptions(LossReduction reduction) {
    reduction(reduction);
  }

  @Override
  TripletMarginWithDistanceLossOptions self() {
    return this;
  }

  /** How far distances are to be apart. */
  public DoublePointer margin() {
    return margin;
  }

  /** Sets how far distances are to be apart; returns this. */
  public TripletMarginWithDistanceLossOptions margin(double value) {
    margin.put(value);
    return this;
  }

  /** Whether the distance of positive and negative counts where it is less. */
  public BoolPointer swap() {
    return swap;
  }

  /** Sets whether the distance of positive and negative counts where it is less; returns this. */
  public TripletMarginWithDistanceLossOptions swap(boolean value) {
    swap.put(value);
    return this;
  }

  /** The distance of two tensors of vectors. */
  public BinaryOperator<Tensor> distance_function() {
    return distance;
  }

  /** Sets the distance of two tensors of vectors; returns this. */
  public TripletMarginWithDistanceLossOptions distance_function(BinaryOperator<Tensor> value) {
    distance = value;
    return this;
  }
}
