package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.TensorOptional;
import org.onetape.global.torch;

/** The cross entropy of the logistic function of the input and the truth, without overflow. */
public class BCEWithLogitsLossImpl extends LossModule {
  private final BCEWithLogitsLossOptions options;

  /** The default options. */
  public BCEWithLogitsLossImpl() {
    this(new BCEWithLogitsLossOptions());
  }

  /** As the options say. */
  public BCEWithLogitsLossImpl(BCEWithLogitsLossOptions options) {
    super("BCEWithLogitsLoss");
    this.options = options;
    if (options.weight().defined()) {
      options.weight(register_buffer("weight", options.weight()));
    }
    if (options.pos_weight().defined()) {
      options.pos_weight(register_buffer("pos_weight", options.pos_weight()));
    }
  }

  @Override
  public Tensor forward(Tensor input, Tensor target) {
    try (GraphRecording.Call call = entered()) {
      return torch.binary_cross_entropy_with_logits(
          input,
          target,
          new TensorOptional(options.weight()),
          new TensorOptional(options.pos_weight()),
          options.word());
    }
  }

  /** How it was made. */
  public BCEWithLogitsLossOptions options() {
    return options;
  }
}
