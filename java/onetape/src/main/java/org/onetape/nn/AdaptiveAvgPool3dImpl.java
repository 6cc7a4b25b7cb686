package org.onetape.nn;

import org.onetape.LongOptional;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Averages over three dimensions, in a given number of windows. */
public class AdaptiveAvgPool3dImpl extends Module {
  private final AdaptiveAvgPool3dOptions options;

  /** So many windows in every dimension; as many as the input has elements where there is none. */
  public AdaptiveAvgPool3dImpl(LongOptional outputSize) {
    this(new AdaptiveAvgPool3dOptions(outputSize));
  }

  /** So many windows: a number, or one a dimension. */
  public AdaptiveAvgPool3dImpl(long... outputSize) {
    this(new AdaptiveAvgPool3dOptions(outputSize));
  }

  /** A layer as the options say. */
  public AdaptiveAvgPool3dImpl(AdaptiveAvgPool3dOptions options) {
    super("AdaptiveAvgPool3d");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    return torch.adaptive_avg_pool3d(input, options.sizesFor(input));
  }

  /** How the layer was made. */
  public AdaptiveAvgPool3dOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "output_size=" + options;
  }
}
