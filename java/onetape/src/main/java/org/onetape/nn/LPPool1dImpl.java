package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The norm of each window over one dimension. */
public class LPPool1dImpl extends Module {
  private final LPPool1dOptions options;

  /** A norm of windows of this size, side by side: a number, or one a dimension. */
  public LPPool1dImpl(double normType, LongPointer kernelSize) {
    this(new LPPool1dOptions(normType, kernelSize));
  }

  /** A norm of windows of this size, side by side: a number, or one a dimension. */
  public LPPool1dImpl(double normType, long... kernelSize) {
    this(new LPPool1dOptions(normType, kernelSize));
  }

  /** As the options say. */
  public LPPool1dImpl(LPPool1dOptions options) {
    super("LPPool1d");
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
          x -> torch.max_pool1d(x, kernel, stride, zero, one, ceil),
          x -> torch.lp_pool1d(x, norm, kernel, stride, ceil));
    }
  }

  /** How it was made. */
  public LPPool1dOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return options.describe();
  }
}
