package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The average of each window over three dimensions. */
public class AvgPool3dImpl extends Module {
  private final AvgPool3dOptions options;

  /** Windows of this size, side by side: a number, or one a dimension. */
  public AvgPool3dImpl(LongPointer kernelSize) {
    this(new AvgPool3dOptions(kernelSize));
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public AvgPool3dImpl(long... kernelSize) {
    this(new AvgPool3dOptions(kernelSize));
  }

  /** A layer as the options say. */
  public AvgPool3dImpl(AvgPool3dOptions options) {
    super("AvgPool3d");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    return torch.avg_pool3d(
        input,
        options.kernelSize.get(),
        options.stride.get(),
        options.padding.get(),
        options.ceil_mode().get(),
        options.count_include_pad().get(),
        options.divisor_override());
  }

  /** How the layer was made. */
  public AvgPool3dOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return options.describe();
  }
}
