package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** log(1 + exp(−target · input)), for targets of 1 or −1. */
public class SoftMarginLossImpl extends LossModule {
  private final SoftMarginLossOptions options;

  /** The default options. */
  public SoftMarginLossImpl() {
    this(new SoftMarginLossOptions());
  }

  /** As the options say. */
  public SoftMarginLossImpl(SoftMarginLossOptions options) {
    super("SoftMarginLoss");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input, Tensor target) {
    try (GraphRecording.Call call = entered()) {
      return torch.soft_margin_loss(input, target, options.word());
    }
  }

  /** How it was made. */
  public SoftMarginLossOptions options() {
    return options;
  }
}
