package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The input, but 0 where it is in [−lambda, lambda]. */
public class HardshrinkImpl extends Module {
  private final HardshrinkOptions options;

  /** The default options. */
  public HardshrinkImpl() {
    this(new HardshrinkOptions());
  }

  /** As the options say. */
  public HardshrinkImpl(HardshrinkOptions options) {
    super("Hardshrink");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.hardshrink(input, options.lambda().get());
    }
  }

  /** How it was made. */
  public HardshrinkOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return PythonText.of(options.lambda().get());
  }
}
