package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The absolute difference. */
public class L1LossImpl extends LossModule {
  private final L1LossOptions options;

  /** The mean over all elements. */
  public L1LossImpl() {
    this(new L1LossOptions());
  }

  /** The loss as the options say. */
  public L1LossImpl(L1LossOptions options) {
    super("L1Loss");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input, Tensor target) {
    try (GraphRecording.Call call = entered()) {
      return torch.l1_loss(input, target, options);
    }
  }

  /** How the loss was made. */
  public L1LossOptions options() {
    return options;
  }
}
