package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** A parabola for small differences, straight lines for others. */
public class HuberLossImpl extends LossModule {
  private final HuberLossOptions options;

  /** The default options. */
  public HuberLossImpl() {
    this(new HuberLossOptions());
  }

  /** As the options say. */
  public HuberLossImpl(HuberLossOptions options) {
    super("HuberLoss");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input, Tensor target) {
    try (GraphRecording.Call call = entered()) {
      return torch.huber_loss(input, target, options.word(), options.delta().get());
    }
  }

  /** How it was made. */
  public HuberLossOptions options() {
    return options;
  }
}
