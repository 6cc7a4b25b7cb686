package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The negative logarithm of the probability that the scores give to the right class. */
public class CrossEntropyLossImpl extends LossModule {
  private final CrossEntropyLossOptions options;

  /** The mean over all elements, every class counting the same. */
  public CrossEntropyLossImpl() {
    this(new CrossEntropyLossOptions());
  }

  /** The loss as the options say. */
  public CrossEntropyLossImpl(CrossEntropyLossOptions options) {
    super("CrossEntropyLoss");
    this.options = options;
    if (options.weight().defined()) {
      options.weight(register_buffer("weight", options.weight()));
    }
  }

  @Override
  public Tensor forward(Tensor input, Tensor target) {
    try (GraphRecording.Call call = entered()) {
      return torch.cross_entropy(input, target, options);
    }
  }

  /** How the loss was made. */
  public CrossEntropyLossOptions options() {
    return options;
  }
}
