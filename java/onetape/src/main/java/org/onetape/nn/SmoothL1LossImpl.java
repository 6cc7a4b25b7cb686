package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** A parabola for small differences, straight lines for others. */
public class SmoothL1LossImpl extends LossModule {
  private final SmoothL1LossOptions options;

  /** The default options. */
  public SmoothL1LossImpl() {
    this(new SmoothL1LossOptions());
  }

  /** As the options say. */
  public SmoothL1LossImpl(SmoothL1LossOptions options) {
    super("SmoothL1Loss");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input, Tensor target) {
    try (GraphRecording.Call call = entered()) {
      return torch.smooth_l1_loss(input, target, options.word(), options.beta().get());
    }
  }

  /** How it was made. */
  public SmoothL1LossOptions options() {
    return options;
  }
}
