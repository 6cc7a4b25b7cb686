package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The norm of each window over three dimensions. */
public class LPPool3dImpl extends Module {
  private final LPPool3dOptions options;

  /** A norm of windows of this size, side by side: a number, or one a dimension. */
  public LPPool3dImpl(double normType, LongPointer kernelSize) {
    this(new LPPool3dOptions(normType, kernelSize));
  }

  /** A norm of windows of this size, side by side: a number, or one a dimension. */
  public LPPool3dImpl(double normType, long... kernelSize) {
    this(new LPPool3dOptions(normType, kernelSize));
  }

  /** As the options say. */
  public LPPool3dImpl(LPPool3dOptions options) {
    super("LPPool3d");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      long[] kernel = options.kernelSize.get();
      long[] stride = options.stride.get();
      boolean ceil = options.ceil_mode().get();
      double norm = options.norm_type().get();
      long[] zero = {0};
      long[] one = {1};
      return options.pooled(
          input,
          x -> torch.max_pool3d(x, kernel, stride, zero, one, ceil),
          x -> torch.lp_pool3d(x, norm, kernel, stride, ceil));
    }
  }

  /** How it was made. */
  public LPPool3dOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return options.describe();
  }
}
