package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The norm of each window over one dimension. */
public class LPPool1dImpl extends LPPoolBase {
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
    super("LPPool1d", options);
    this.options = options;
  }

  @Override
  Tensor largest(Tensor input, long[] kernel, long[] stride, boolean ceil) {
    return torch.max_pool1d(input, kernel, stride, new long[] {0}, new long[] {1}, ceil);
  }

  @Override
  Tensor sums(Tensor input, double norm, long[] kernel, long[] stride, boolean ceil) {
    return torch.lp_pool1d(input, norm, kernel, stride, ceil);
  }

  /** How it was made. */
  public LPPool1dOptions options() {
    return options;
  }
}
