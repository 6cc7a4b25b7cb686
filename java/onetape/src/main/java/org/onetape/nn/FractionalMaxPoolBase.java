package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.TensorOptions;
import org.onetape.global.torch;

/** What layers share that pool by windows at steps that are no whole numbers. */
public abstract class FractionalMaxPoolBase extends Module {
  private final FractionalMaxPoolOptionsBase<?> options;

  FractionalMaxPoolBase(String name, FractionalMaxPoolOptionsBase<?> options) {
    super(name);
    options.check(name);
    this.options = options;
    if (options._random_samples().defined()) {
      options._random_samples(register_buffer("_random_samples", options._random_samples()));
    }
  }

  /** The largest elements and their places, with windows where the samples say. */
  abstract T_TensorTensor_T pooled(Tensor input, long[] kernel, long[] sizes, Tensor samples);

  @Override
  public Tensor forward(Tensor input) {
    return forward_with_indices(input).get0();
  }

  /** The largest elements, and the place of each in its channel. */
  public T_TensorTensor_T forward_with_indices(Tensor input) {
    Tensor samples = options._random_samples();
    if (!samples.defined()) {
      int dims = options.dims;
      long batch = input.dim() == dims + 1 ? 1 : input.size(0);
      long[] sizes = {batch, input.size(-dims - 1), dims};
      samples = torch.rand(sizes, new TensorOptions(input.scalar_type()));
    }
    try (GraphRecording.Call call = entered()) {
      return pooled(input, options.kernelSize.get(), options.sizesFor(input), samples);
    }
  }
}
