package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.TensorOptional;
import org.onetape.global.torch;

/**
 * The mean over all other classes of max(0, margin − input[target] + input[class]) to the power p.
 */
public class MultiMarginLossImpl extends LossModule {
  private final MultiMarginLossOptions options;

  /** The default options. */
  public MultiMarginLossImpl() {
    this(new MultiMarginLossOptions());
  }

  /** As the options say. */
  public MultiMarginLossImpl(MultiMarginLossOptions options) {
    super("MultiMarginLoss");
    this.options = options;
    if (options.p().get() != 1 && options.p().get() != 2) {
      throw new IllegalArgumentException("only p == 1 and p == 2 supported");
    }
    if (options.weight().defined()) {
      options.weight(register_buffer("weight", options.weight()));
    }
  }

  @Override
  public Tensor forward(Tensor input, Tensor target) {
    try (GraphRecording.Call call = entered()) {
      return torch.multi_margin_loss(
          input,
          target,
          options.p().get(),
          options.margin().get(),
          new TensorOptional(options.weight()),
          options.word());
    }
  }

  /** How it was made. */
  public MultiMarginLossOptions options() {
    return options;
  }
}
