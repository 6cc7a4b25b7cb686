package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The norm of each window over two dimensions. */
public class LPPool2dImpl extends LPPoolBase {
  private final LPPool2dOptions options;

  /** A norm of windows of this size, side by side: a number, or one a dimension. */
  public LPPool2dImpl(double normType, LongPointer kernelSize) {
    this(new LPPool2dOptions(normType, kernelSize));
  }

  /** A norm of windows of this size, side by side: a number, or one a dimension. */
  public LPPool2dImpl(double normType, long... kernelSize) {
    this(new LPPool2dOptions(normType, kernelSize));
  }

  /** As the options say. */
  public LPPool2dImpl(LPPool2dOptions options) {
    super("LPPool2d", options);
    this.options = options;
  }

  @Override
  Tensor largest(Tensor input, long[] kernel, long[] stride, boolean ceil) {
    return torch.max_pool2d(input, kernel, stride, new long[] {0}, new long[] {1}, ceil);
  }

  @Override
  Tensor sums(Tensor input, double norm, long[] kernel, long[] stride, boolean ceil) {
    return torch.lp_pool2d(input, norm, kernel, stride, ceil);
  }

  /** How it was made. */
  public LPPool2dOptions options() {
    return options;
  }
}
