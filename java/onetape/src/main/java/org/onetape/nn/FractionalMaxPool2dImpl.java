package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.TensorOptions;
import org.onetape.global.torch;

/** The largest element of each window over two dimensions; where windows lie is drawn. */
public class FractionalMaxPool2dImpl extends Module {
  private final FractionalMaxPool2dOptions options;

  /** A layer as the options say. */
  public FractionalMaxPool2dImpl(FractionalMaxPool2dOptions options) {
    super("FractionalMaxPool2d");
    options.check("FractionalMaxPool2d");
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
      long[] sizes = {input.dim() == 3 ? 1 : input.size(0), input.size(-3), 2};
      samples = torch.rand(sizes, new TensorOptions(input.scalar_type()));
    }
    try (GraphRecording.Call call = entered()) {
      return torch.fractional_max_pool2d(
          input, options.kernelSize.get(), options.sizesFor(input), samples);
    }
  }

  /** How the layer was made. */
  public FractionalMaxPool2dOptions options() {
    return options;
  }
}
