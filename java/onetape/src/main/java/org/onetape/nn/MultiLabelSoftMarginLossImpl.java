package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.TensorOptional;
import org.onetape.global.torch;

/** The mean over the classes of the cross entropy of the logistic function and the truth. */
public class MultiLabelSoftMarginLossImpl extends LossModule {
  private final MultiLabelSoftMarginLossOptions options;

  /** The default options. */
  public MultiLabelSoftMarginLossImpl() {
    this(new MultiLabelSoftMarginLossOptions());
  }

  /** As the options say. */
  public MultiLabelSoftMarginLossImpl(MultiLabelSoftMarginLossOptions options) {
    super("MultiLabelSoftMarginLoss");
    this.options = options;
    if (options.weight().defined()) {
      options.weight(register_buffer("weight", options.weight()));
    }
  }

  @Override
  public Tensor forward(Tensor input, Tensor target) {
    try (GraphRecording.Call call = entered()) {
      return torch.multilabel_soft_margin_loss(
          input, target, new TensorOptional(options.weight()), options.word());
    }
  }

  /** How it was made. */
  public MultiLabelSoftMarginLossOptions options() {
    return options;
  }
}
