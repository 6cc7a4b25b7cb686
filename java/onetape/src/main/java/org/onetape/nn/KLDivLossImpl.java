package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** What the distribution of the input, given as logarithms, lacks to be that of the target. */
public class KLDivLossImpl extends LossModule {
  private final KLDivLossOptions options;

  /** The default options. */
  public KLDivLossImpl() {
    this(new KLDivLossOptions());
  }

  /** As the options say. */
  public KLDivLossImpl(KLDivLossOptions options) {
    super("KLDivLoss");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input, Tensor target) {
    try (GraphRecording.Call call = entered()) {
      return torch.kl_div(input, target, options.word(), options.log_target().get());
    }
  }

  /** How it was made. */
  public KLDivLossOptions options() {
    return options;
  }
}
