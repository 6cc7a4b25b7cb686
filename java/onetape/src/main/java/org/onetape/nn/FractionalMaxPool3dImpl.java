package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.TensorOptions;
import org.onetape.global.torch;

/** The largest element of each window over three dimensions; where windows lie is drawn. */
public class FractionalMaxPool3dImpl extends Module {
  private final FractionalMaxPool3dOptions options;

  /** A layer as the options say. */
  public FractionalMaxPool3dImpl(FractionalMaxPool3dOptions options) {
    super("FractionalMaxPool3d");
    options.check("FractionalMaxPool3d");
    this.options = options;
    if (options._random_samples().defined()) {
      options._random_samples(register_buffer("_random_samples", options._random_samples()));
    }
  }

  @Override
  public Tensor forward(Tensor input) {
    return forward_with_indices(input).get0();
  }

  /** The largest elements, and the place of each in its channel. */
  public T_TensorTensor_T forward_with_indices(Tensor input) {
    Tensor samples = options._random_samples();
    if (!samples.defined()) {
      long[] sizes = {input.dim() == 4 ? 1 : input.size(0), input.size(-4), 3};
      samples = torch.rand(sizes, new TensorOptions(input.scalar_type()));
    }
    try (GraphRecording.Call call = entered()) {
      return torch.fractional_max_pool3d(
          input, options.kernelSize.get(), options.sizesFor(input), samples);
    }
  }

  /** How the layer was made. */
  public FractionalMaxPool3dOptions options() {
    return options;
  }
}
