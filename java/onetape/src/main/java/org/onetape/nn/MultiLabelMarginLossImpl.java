package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The sum of max(0, 1 − input[right] + input[wrong]) over all pairs, by the number of classes. */
public class MultiLabelMarginLossImpl extends LossModule {
  private final MultiLabelMarginLossOptions options;

  /** The default options. */
  public MultiLabelMarginLossImpl() {
    this(new MultiLabelMarginLossOptions());
  }

  /** As the options say. */
  public MultiLabelMarginLossImpl(MultiLabelMarginLossOptions options) {
    super("MultiLabelMarginLoss");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input, Tensor target) {
    try (GraphRecording.Call call = entered()) {
      return torch.multilabel_margin_loss(input, target, options.word());
    }
  }

  /** How it was made. */
  public MultiLabelMarginLossOptions options() {
    return options;
  }
}
