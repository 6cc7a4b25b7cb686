package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The largest element of each window over three dimensions. */
public class MaxPool3dImpl extends Module {
  private final MaxPool3dOptions options;

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxPool3dImpl(LongPointer kernelSize) {
    this(new MaxPool3dOptions(kernelSize));
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxPool3dImpl(long... kernelSize) {
    this(new MaxPool3dOptions(kernelSize));
  }

  /** A layer as the options say. */
  public MaxPool3dImpl(MaxPool3dOptions options) {
    super("MaxPool3d");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    return torch.max_pool3d(
        input,
        options.kernelSize.get(),
        options.stride.get(),
        options.padding.get(),
        options.dilation.get(),
        options.ceil_mode().get());
  }

  /** The largest elements, and the place of each in its channel. */
  public T_TensorTensor_T forward_with_indices(Tensor input) {
    return torch.max_pool3d_with_indices(
        input,
        options.kernelSize.get(),
        options.stride.get(),
        options.padding.get(),
        options.dilation.get(),
        options.ceil_mode().get());
  }

  /** How the layer was made. */
  public MaxPool3dOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return options.describeAll();
  }
}
