package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The squared difference. */
public class MSELossImpl extends LossModule {
  private final MSELossOptions options;

  /** The mean over all elements. */
  public MSELossImpl() {
    this(new MSELossOptions());
  }

  /** The loss as the options say. */
  public MSELossImpl(MSELossOptions options) {
    super("MSELoss");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input, Tensor target) {
    try (GraphRecording.Call call = entered()) {
      return torch.mse_loss(input, target, options);
    }
  }

  /** How the loss was made. */
  public MSELossOptions options() {
    return options;
  }
}
