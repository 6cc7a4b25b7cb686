package org.onetape.nn;

import org.onetape.LongOptional;
import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Largest elements over two dimensions, in a given number of windows. */
public class AdaptiveMaxPool2dImpl extends Module {
  private final AdaptiveMaxPool2dOptions options;

  /** So many windows in every dimension; as many as the input has elements where there is none. */
  public AdaptiveMaxPool2dImpl(LongOptional outputSize) {
    this(new AdaptiveMaxPool2dOptions(outputSize));
  }

  /** So many windows: a number, or one a dimension. */
  public AdaptiveMaxPool2dImpl(long... outputSize) {
    this(new AdaptiveMaxPool2dOptions(outputSize));
  }

  /** A layer as the options say. */
  public AdaptiveMaxPool2dImpl(AdaptiveMaxPool2dOptions options) {
    super("AdaptiveMaxPool2d");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    return torch.adaptive_max_pool2d(input, options.sizesFor(input)).get0();
  }

  /** The largest elements, and the place of each in its channel. */
  public T_TensorTensor_T forward_with_indices(Tensor input) {
    return torch.adaptive_max_pool2d(input, options.sizesFor(input));
  }

  /** How the layer was made. */
  public AdaptiveMaxPool2dOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "output_size=" + options;
  }
}
