package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Largest elements over one dimension, in a given number of windows. */
public class AdaptiveMaxPool1dImpl extends Module {
  private final AdaptiveMaxPool1dOptions options;

  /** So many windows. */
  public AdaptiveMaxPool1dImpl(LongPointer outputSize) {
    this(new AdaptiveMaxPool1dOptions(outputSize));
  }

  /** So many windows. */
  public AdaptiveMaxPool1dImpl(long outputSize) {
    this(new AdaptiveMaxPool1dOptions(outputSize));
  }

  /** A layer as the options say. */
  public AdaptiveMaxPool1dImpl(AdaptiveMaxPool1dOptions options) {
    super("AdaptiveMaxPool1d");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    return torch.adaptive_max_pool1d(input, options.outputSize.get()).get0();
  }

  /** The largest elements, and the place of each in its channel. */
  public T_TensorTensor_T forward_with_indices(Tensor input) {
    return torch.adaptive_max_pool1d(input, options.outputSize.get());
  }

  /** How the layer was made. */
  public AdaptiveMaxPool1dOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "output_size=" + options.outputSize.get()[0];
  }
}
