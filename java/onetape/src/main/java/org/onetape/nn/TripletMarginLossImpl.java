package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** max(0, margin + the distance of anchor and positive − that of anchor and negative). */
public class TripletMarginLossImpl extends Module {
  private final TripletMarginLossOptions options;

  /** The default options. */
  public TripletMarginLossImpl() {
    this(new TripletMarginLossOptions());
  }

  /** As the options say. */
  public TripletMarginLossImpl(TripletMarginLossOptions options) {
    super("TripletMarginLoss");
    this.options = options;
    if (!(options.margin().get() > 0)) {
      throw new IllegalArgumentException(
          "TripletMarginLoss: expected margin to be greater than 0, got "
              + PythonText.of(options.margin().get())
              + " instead");
    }
  }

  @Override
  public Tensor forward(Tensor anchor, Tensor positive, Tensor negative) {
    try (GraphRecording.Call call = entered()) {
      return torch.triplet_margin_loss(
          anchor,
          positive,
          negative,
          options.margin().get(),
          options.p().get(),
          options.eps().get(),
          options.swap().get(),
          options.word());
    }
  }

  /** The loss, as {@link #forward} gives it. */
  public Tensor apply(Tensor anchor, Tensor positive, Tensor negative) {
    return forward(anchor, positive, negative);
  }

  /** How it was made. */
  public TripletMarginLossOptions options() {
    return options;
  }
}
