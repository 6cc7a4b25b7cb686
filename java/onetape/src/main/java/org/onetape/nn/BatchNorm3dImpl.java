package org.onetape.nn;

import org.onetape.Tensor;
import org.onetape.global.torch;

/** Brings each channel to mean 0 and variance 1 over the batch, then scales and moves it. */
public class BatchNorm3dImpl extends RunningNorm {
  private final BatchNormOptions options;

  /** For so many channels. */
  public BatchNorm3dImpl(long numFeatures) {
    this(new BatchNormOptions(numFeatures));
  }

  /** A layer as the options say. */
  public BatchNorm3dImpl(BatchNormOptions options) {
    this(options, false);
  }

  BatchNorm3dImpl(BatchNormOptions options, boolean lazy) {
    super(
        "BatchNorm3d",
        options.num_features().get(),
        options.eps().get(),
        options.momentum(),
        options.affine().get(),
        options.track_running_stats().get(),
        lazy);
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    see(input);
    checkDims(input, 5);
    double share = count();
    return torch.batch_norm(
        input,
        running("running_mean"),
        running("running_var"),
        own("weight"),
        own("bias"),
        is_training() || !tracks,
        share,
        eps);
  }

  /** How the layer was made. */
  public BatchNormOptions options() {
    return options;
  }
}
