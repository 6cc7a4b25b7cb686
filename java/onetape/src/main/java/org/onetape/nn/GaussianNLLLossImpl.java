package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** (log(variance) + (input − target)² / variance) / 2. */
public class GaussianNLLLossImpl extends Module {
  private final GaussianNLLLossOptions options;

  /** The default options. */
  public GaussianNLLLossImpl() {
    this(new GaussianNLLLossOptions());
  }

  /** As the options say. */
  public GaussianNLLLossImpl(GaussianNLLLossOptions options) {
    super("GaussianNLLLoss");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input, Tensor target, Tensor variance) {
    try (GraphRecording.Call call = entered()) {
      return torch.gaussian_nll_loss(
          input, target, variance, options.full().get(), options.eps().get(), options.word());
    }
  }

  /** The loss, as {@link #forward} gives it. */
  public Tensor apply(Tensor input, Tensor target, Tensor variance) {
    return forward(input, target, variance);
  }

  /** How it was made. */
  public GaussianNLLLossOptions options() {
    return options;
  }
}
