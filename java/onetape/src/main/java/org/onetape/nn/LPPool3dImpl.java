package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The norm of each window over three dimensions. */
public class LPPool3dImpl extends LPPoolBase {
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
    super("LPPool3d", options);
    this.options = options;
  }

  @Override
  Tensor largest(Tensor input, long[] kernel, long[] stride, boolean ceil) {
    return torch.max_pool3d(input, kernel, stride, new long[] {0}, new long[] {1}, ceil);
  }

  @Override
  Tensor sums(Tensor input, double norm, long[] kernel, long[] stride, boolean ceil) {
    return torch.lp_pool3d(input, norm, kernel, stride, ceil);
  }

  /** How it was made. */
  public LPPool3dOptions options() {
    return options;
  }
}
