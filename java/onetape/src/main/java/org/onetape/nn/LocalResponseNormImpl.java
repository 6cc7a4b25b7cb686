package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The input divided by a power of the mean square over neighbouring channels. */
public class LocalResponseNormImpl extends Module {
  private final LocalResponseNormOptions options;

  /** Over so many neighbouring channels. */
  public LocalResponseNormImpl(long size) {
    this(new LocalResponseNormOptions(size));
  }

  /** As the options say. */
  public LocalResponseNormImpl(LocalResponseNormOptions options) {
    super("LocalResponseNorm");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.local_response_norm(
          input,
          options.size().get(),
          options.alpha().get(),
          options.beta().get(),
          options.k().get());
    }
  }

  /** How it was made. */
  public LocalResponseNormOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return options.describe();
  }
}
