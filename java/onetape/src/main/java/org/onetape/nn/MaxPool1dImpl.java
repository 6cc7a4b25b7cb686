package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The largest element of each window over one dimension. */
public class MaxPool1dImpl extends Module {
  private final MaxPool1dOptions options;

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxPool1dImpl(LongPointer kernelSize) {
    this(new MaxPool1dOptions(kernelSize));
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxPool1dImpl(long... kernelSize) {
    this(new MaxPool1dOptions(kernelSize));
  }

  /** A layer as the options say. */
  public MaxPool1dImpl(MaxPool1dOptions options) {
    super("MaxPool1d");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    return torch.max_pool1d(
        input,
        options.kernelSize.get(),
        options.stride.get(),
        options.padding.get(),
        options.dilation.get(),
        options.ceil_mode().get());
  }

  /** The largest elements, and the place of each in its channel. */
  public T_TensorTensor_T forward_with_indices(Tensor input) {
    return torch.max_pool1d_with_indices(
        input,
        options.kernelSize.get(),
        options.stride.get(),
        options.padding.get(),
        options.dilation.get(),
        options.ceil_mode().get());
  }

  /** How the layer was made. */
  public MaxPool1dOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return options.describeAll();
  }
}
