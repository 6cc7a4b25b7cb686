package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** max(0, margin − target · (input1 − input2)). */
public class MarginRankingLossImpl extends Module {
  private final MarginRankingLossOptions options;

  /** The default options. */
  public MarginRankingLossImpl() {
    this(new MarginRankingLossOptions());
  }

  /** As the options say. */
  public MarginRankingLossImpl(MarginRankingLossOptions options) {
    super("MarginRankingLoss");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input1, Tensor input2, Tensor target) {
    try (GraphRecording.Call call = entered()) {
      return torch.margin_ranking_loss(
          input1, input2, target, options.margin().get(), options.word());
    }
  }

  /** The loss, as {@link #forward} gives it. */
  public Tensor apply(Tensor input1, Tensor input2, Tensor target) {
    return forward(input1, input2, target);
  }

  /** How it was made. */
  public MarginRankingLossOptions options() {
    return options;
  }
}
