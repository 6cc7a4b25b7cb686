package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The average of each window over one dimension. */
public class AvgPool1dImpl extends Module {
  private final AvgPool1dOptions options;

  /** Windows of this size, side by side: a number, or one a dimension. */
  public AvgPool1dImpl(LongPointer kernelSize) {
    this(new AvgPool1dOptions(kernelSize));
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public AvgPool1dImpl(long... kernelSize) {
    this(new AvgPool1dOptions(kernelSize));
  }

  /** A layer as the options say. */
  public AvgPool1dImpl(AvgPool1dOptions options) {
    super("AvgPool1d");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    return torch.avg_pool1d(
        input,
        options.kernelSize.get(),
        options.stride.get(),
        options.padding.get(),
        options.ceil_mode().get(),
        options.count_include_pad().get());
  }

  /** How the layer was made. */
  public AvgPool1dOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "kernel_size="
        + PythonText.of(options.kernelSize.get())
        + ", stride="
        + PythonText.of(options.stride.get())
        + ", padding="
        + PythonText.of(options.padding.get());
  }
}
