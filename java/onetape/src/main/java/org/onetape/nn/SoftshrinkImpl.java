package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The input brought nearer to 0 by lambda; 0 where it is in [−lambda, lambda]. */
public class SoftshrinkImpl extends Module {
  private final SoftshrinkOptions options;

  /** The default options. */
  public SoftshrinkImpl() {
    this(new SoftshrinkOptions());
  }

  /** As the options say. */
  public SoftshrinkImpl(SoftshrinkOptions options) {
    super("Softshrink");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.softshrink(input, options.lambda().get());
    }
  }

  /** How it was made. */
  public SoftshrinkOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return PythonText.of(options.lambda().get());
  }
}
