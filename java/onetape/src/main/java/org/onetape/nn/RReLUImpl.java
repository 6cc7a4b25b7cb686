package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The input where it is positive, else times a slope: drawn while training, else the middle. */
public class RReLUImpl extends Module {
  private final RReLUOptions options;

  /** The default options. */
  public RReLUImpl() {
    this(new RReLUOptions());
  }

  /** As the options say. */
  public RReLUImpl(RReLUOptions options) {
    super("RReLU");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return options.run(
          input, x -> torch.rrelu(x, options.lower().get(), options.upper().get(), is_training()));
    }
  }

  /** How it was made. */
  public RReLUOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return options.describe(
        "lower="
            + PythonText.of(options.lower().get())
            + ", upper="
            + PythonText.of(options.upper().get()));
  }
}
