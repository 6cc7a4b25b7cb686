package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The negative of the right class's entry in a tensor of logarithms of probabilities. */
public class NLLLossImpl extends LossModule {
  private final NLLLossOptions options;

  /** The mean over all elements, every class counting the same. */
  public NLLLossImpl() {
    this(new NLLLossOptions());
  }

  /** The loss as the options say. */
  public NLLLossImpl(NLLLossOptions options) {
    super("NLLLoss");
    this.options = options;
    if (options.weight().defined()) {
      options.weight(register_buffer("weight", options.weight()));
    }
  }

  @Override
  public Tensor forward(Tensor input, Tensor target) {
    try (GraphRecording.Call call = entered()) {
      return torch.nll_loss(input, target, options);
    }
  }

  /** How the loss was made. */
  public NLLLossOptions options() {
    return options;
  }
}
