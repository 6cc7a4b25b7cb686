package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The input, but at least 0 and at most 6. */
public class ReLU6Impl extends Module {
  private final ReLU6Options options;

  /** The default options. */
  public ReLU6Impl() {
    this(new ReLU6Options());
  }

  /** As the options say. */
  public ReLU6Impl(ReLU6Options options) {
    super("ReLU6");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return options.run(input, x -> torch.relu6(x));
    }
  }

  /** How it was made. */
  public ReLU6Options options() {
    return options;
  }

  @Override
  protected String describe() {
    return options.describe("");
  }
}
