package org.onetape.nn;

import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The largest element of each window over three dimensions; where windows lie is drawn. */
public class FractionalMaxPool3dImpl extends FractionalMaxPoolBase {
  private final FractionalMaxPool3dOptions options;

  /** A layer as the options say. */
  public FractionalMaxPool3dImpl(FractionalMaxPool3dOptions options) {
    super("FractionalMaxPool3d", options);
    this.options = options;
  }

  @Override
  T_TensorTensor_T pooled(Tensor input, long[] kernel, long[] sizes, Tensor samples) {
    return torch.fractional_max_pool3d(input, kernel, sizes, samples);
  }

  /** How the layer was made. */
  public FractionalMaxPool3dOptions options() {
    return options;
  }
}
