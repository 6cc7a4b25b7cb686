package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Each element times the share of the normal distribution below it. */
public class GELUImpl extends Module {
  private final GELUOptions options;

  /** The exact function. */
  public GELUImpl() {
    this(new GELUOptions());
  }

  /** The function as the options say. */
  public GELUImpl(GELUOptions options) {
    super("GELU");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.gelu(input, options.word());
    }
  }

  /** How the function was made. */
  public GELUOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "approximate='" + options.word() + "'";
  }
}
