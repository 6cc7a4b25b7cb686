package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/**
 * log(1 + exp(beta · input)) / beta; the input itself where beta · input is above the threshold.
 */
public class SoftplusImpl extends Module {
  private final SoftplusOptions options;

  /** The default options. */
  public SoftplusImpl() {
    this(new SoftplusOptions());
  }

  /** As the options say. */
  public SoftplusImpl(SoftplusOptions options) {
    super("Softplus");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.softplus(input, options.beta().get(), options.threshold().get());
    }
  }

  /** How it was made. */
  public SoftplusOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "beta="
        + PythonText.of(options.beta().get())
        + ", threshold="
        + PythonText.of(options.threshold().get());
  }
}
