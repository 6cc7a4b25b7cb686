package org.onetape.nn;

import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The largest element of each window over two dimensions; where windows lie is drawn. */
public class FractionalMaxPool2dImpl extends FractionalMaxPoolBase {
  private final FractionalMaxPool2dOptions options;

  /** A layer as the options say. */
  public FractionalMaxPool2dImpl(FractionalMaxPool2dOptions options) {
    super("FractionalMaxPool2d", options);
    this.options = options;
  }

  @Override
  T_TensorTensor_T pooled(Tensor input, long[] kernel, long[] sizes, Tensor samples) {
    return torch.fractional_max_pool2d(input, kernel, sizes, samples);
  }

  /** How the layer was made. */
  public FractionalMaxPool2dOptions options() {
    return options;
  }
}
