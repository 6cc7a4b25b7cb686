package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** LocalResponseNorm of images whose windows lie around their channel, also for an even size. */
public class CrossMapLRN2dImpl extends Module {
  private final CrossMapLRN2dOptions options;

  /** Over so many neighbouring channels. */
  public CrossMapLRN2dImpl(long size) {
    this(new CrossMapLRN2dOptions(size));
  }

  /** As the options say. */
  public CrossMapLRN2dImpl(CrossMapLRN2dOptions options) {
    super("CrossMapLRN2d");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return normalized(input);
    }
  }

  private Tensor normalized(Tensor input) {
    if (input.dim() != 4) {
      throw new IllegalArgumentException(
          "CrossMapLRN2d: Expected input to be 4D, got " + input.dim() + "D instead.");
    }
    long size = options.size().get();
    long width = 2 * ((size - 1) / 2) + 1;
    double alpha = options.alpha().get() * width / size;
    return torch.local_response_norm(input, width, alpha, options.beta().get(), options.k().get());
  }

  /** How it was made. */
  public CrossMapLRN2dOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return options.describe();
  }
}
