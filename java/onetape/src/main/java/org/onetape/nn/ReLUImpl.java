package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The larger of each element and zero. */
public class ReLUImpl extends Module {
  private final ReLUOptions options;

  /** The default options. */
  public ReLUImpl() {
    this(new ReLUOptions());
  }

  /** As the options say. */
  public ReLUImpl(ReLUOptions options) {
    super("ReLU");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return options.inplace().get() ? torch.relu_(input) : input.relu();
    }
  }

  /** How it was made. */
  public ReLUOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return options.describe("");
  }
}
