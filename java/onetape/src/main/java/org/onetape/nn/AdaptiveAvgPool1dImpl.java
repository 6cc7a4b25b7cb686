package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Averages over one dimension, in a given number of windows. */
public class AdaptiveAvgPool1dImpl extends Module {
  private final AdaptiveAvgPool1dOptions options;

  /** So many windows. */
  public AdaptiveAvgPool1dImpl(LongPointer outputSize) {
    this(new AdaptiveAvgPool1dOptions(outputSize));
  }

  /** So many windows. */
  public AdaptiveAvgPool1dImpl(long outputSize) {
    this(new AdaptiveAvgPool1dOptions(outputSize));
  }

  /** A layer as the options say. */
  public AdaptiveAvgPool1dImpl(AdaptiveAvgPool1dOptions options) {
    super("AdaptiveAvgPool1d");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    return torch.adaptive_avg_pool1d(input, options.outputSize.get());
  }

  /** How the layer was made. */
  public AdaptiveAvgPool1dOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "output_size=" + options.outputSize.get()[0];
  }
}
