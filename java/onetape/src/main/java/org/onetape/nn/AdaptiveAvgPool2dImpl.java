package org.onetape.nn;

import org.onetape.LongOptional;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Averages over two dimensions, in a given number of windows. */
public class AdaptiveAvgPool2dImpl extends Module {
  private final AdaptiveAvgPool2dOptions options;

  /** So many windows in every dimension; as many as the input has elements where there is none. */
  public AdaptiveAvgPool2dImpl(LongOptional outputSize) {
    this(new AdaptiveAvgPool2dOptions(outputSize));
  }

  /** So many windows: a number, or one a dimension. */
  public AdaptiveAvgPool2dImpl(long... outputSize) {
    this(new AdaptiveAvgPool2dOptions(outputSize));
  }

  /** A layer as the options say. */
  public AdaptiveAvgPool2dImpl(AdaptiveAvgPool2dOptions options) {
    super("AdaptiveAvgPool2d");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    return torch.adaptive_avg_pool2d(input, options.sizesFor(input));
  }

  /** How the layer was made. */
  public AdaptiveAvgPool2dOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "output_size=" + options;
  }
}
