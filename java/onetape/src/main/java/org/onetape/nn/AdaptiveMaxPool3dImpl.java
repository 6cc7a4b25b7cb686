package org.onetape.nn;

import org.onetape.LongOptional;
import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Largest elements over three dimensions, in a given number of windows. */
public class AdaptiveMaxPool3dImpl extends Module {
  private final AdaptiveMaxPool3dOptions options;

  /** So many windows in every dimension; as many as the input has elements where there is none. */
  public AdaptiveMaxPool3dImpl(LongOptional outputSize) {
    this(new AdaptiveMaxPool3dOptions(outputSize));
  }

  /** So many windows: a number, or one a dimension. */
  public AdaptiveMaxPool3dImpl(long... outputSize) {
    this(new AdaptiveMaxPool3dOptions(outputSize));
  }

  /** A layer as the options say. */
  public AdaptiveMaxPool3dImpl(AdaptiveMaxPool3dOptions options) {
    super("AdaptiveMaxPool3d");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    return torch.adaptive_max_pool3d(input, options.sizesFor(input)).get0();
  }

  /** The largest elements, and the place of each in its channel. */
  public T_TensorTensor_T forward_with_indices(Tensor input) {
    return torch.adaptive_max_pool3d(input, options.sizesFor(input));
  }

  /** How the layer was made. */
  public AdaptiveMaxPool3dOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "output_size=" + options;
  }
}
