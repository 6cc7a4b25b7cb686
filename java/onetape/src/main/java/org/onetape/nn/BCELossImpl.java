package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.TensorOptional;
import org.onetape.global.torch;

/** The cross entropy of probabilities and the truth. */
public class BCELossImpl extends LossModule {
  private final BCELossOptions options;

  /** The default options. */
  public BCELossImpl() {
    this(new BCELossOptions());
  }

  /** As the options say. */
  public BCELossImpl(BCELossOptions options) {
    super("BCELoss");
    this.options = options;
    if (options.weight().defined()) {
      options.weight(register_buffer("weight", options.weight()));
    }
  }

  @Override
  public Tensor forward(Tensor input, Tensor target) {
    try (GraphRecording.Call call = entered()) {
      return torch.binary_cross_entropy(
          input, target, new TensorOptional(options.weight()), options.word());
    }
  }

  /** How it was made. */
  public BCELossOptions options() {
    return options;
  }
}
