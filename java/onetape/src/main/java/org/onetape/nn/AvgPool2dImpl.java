package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The average of each window over two dimensions. */
public class AvgPool2dImpl extends Module {
  private final AvgPool2dOptions options;

  /** Windows of this size, side by side: a number, or one a dimension. */
  public AvgPool2dImpl(LongPointer kernelSize) {
    this(new AvgPool2dOptions(kernelSize));
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public AvgPool2dImpl(long... kernelSize) {
    this(new AvgPool2dOptions(kernelSize));
  }

  /** A layer as the options say. */
  public AvgPool2dImpl(AvgPool2dOptions options) {
    super("AvgPool2d");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    return torch.avg_pool2d(
        input,
        options.kernelSize.get(),
        options.stride.get(),
        options.padding.get(),
        options.ceil_mode().get(),
        options.count_include_pad().get(),
        options.divisor_override());
  }

  /** How the layer was made. */
  public AvgPool2dOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return options.describe();
  }
}
