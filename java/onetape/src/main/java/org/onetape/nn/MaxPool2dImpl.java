package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The largest element of each window over two dimensions. */
public class MaxPool2dImpl extends Module {
  private final MaxPool2dOptions options;

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxPool2dImpl(LongPointer kernelSize) {
    this(new MaxPool2dOptions(kernelSize));
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxPool2dImpl(long... kernelSize) {
    this(new MaxPool2dOptions(kernelSize));
  }

  /** A layer as the options say. */
  public MaxPool2dImpl(MaxPool2dOptions options) {
    super("MaxPool2d");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    return torch.max_pool2d(
        input,
        options.kernelSize.get(),
        options.stride.get(),
        options.padding.get(),
        options.dilation.get(),
        options.ceil_mode().get());
  }

  /** The largest elements, and the place of each in its channel. */
  public T_TensorTensor_T forward_with_indices(Tensor input) {
    return torch.max_pool2d_with_indices(
        input,
        options.kernelSize.get(),
        options.stride.get(),
        options.padding.get(),
        options.dilation.get(),
        options.ceil_mode().get());
  }

  /** How the layer was made. */
  public MaxPool2dOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return options.describeAll();
  }
}
