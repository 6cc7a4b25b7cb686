package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** exp(input) − target · input, for counts of a Poisson distribution. */
public class PoissonNLLLossImpl extends LossModule {
  private final PoissonNLLLossOptions options;

  /** The default options. */
  public PoissonNLLLossImpl() {
    this(new PoissonNLLLossOptions());
  }

  /** As the options say. */
  public PoissonNLLLossImpl(PoissonNLLLossOptions options) {
    super("PoissonNLLLoss");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input, Tensor target) {
    try (GraphRecording.Call call = entered()) {
      return torch.poisson_nll_loss(
          input,
          target,
          options.log_input().get(),
          options.full().get(),
          options.eps().get(),
          options.word());
    }
  }

  /** How it was made. */
  public PoissonNLLLossOptions options() {
    return options;
  }
}
