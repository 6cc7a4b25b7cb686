package org.onetape.nn;

import java.util.function.BinaryOperator;
import org.onetape.GraphRecording;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** TripletMarginLoss with a distance of one's own. */
public class TripletMarginWithDistanceLossImpl extends Module {
  private final TripletMarginWithDistanceLossOptions options;

  /** The default options. */
  public TripletMarginWithDistanceLossImpl() {
    this(new TripletMarginWithDistanceLossOptions());
  }

  /** As the options say. */
  public TripletMarginWithDistanceLossImpl(TripletMarginWithDistanceLossOptions options) {
    super("TripletMarginWithDistanceLoss");
    this.options = options;
    if (!(options.margin().get() > 0)) {
      throw new IllegalArgumentException(
          "TripletMarginWithDistanceLoss: expected margin to be greater than 0, got "
              + PythonText.of(options.margin().get())
              + " instead");
    }
  }

  @Override
  public Tensor forward(Tensor anchor, Tensor positive, Tensor negative) {
    try (GraphRecording.Call call = entered()) {
      return loss(anchor, positive, negative);
    }
  }

  private Tensor loss(Tensor anchor, Tensor positive, Tensor negative) {
    BinaryOperator<Tensor> distance = options.distance_function();
    Tensor near = distance.apply(anchor, positive);
    Tensor far = distance.apply(anchor, negative);
    if (options.swap().get()) {
      far = torch.minimum(far, distance.apply(positive, negative));
    }
    Tensor losses = near.add(new Scalar(options.margin().get())).sub(far).clamp_min(new Scalar(0));
    switch (options.word()) {
      case "sum":
        return losses.sum();
      case "mean":
        return losses.mean();
      default:
        return losses;
    }
  }

  /** The loss, as {@link #forward} gives it. */
  public Tensor apply(Tensor anchor, Tensor positive, Tensor negative) {
    return forward(anchor, positive, negative);
  }

  /** How it was made. */
  public TripletMarginWithDistanceLossOptions options() {
    return options;
  }
}
