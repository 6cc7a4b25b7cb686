package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** ELU scaled so that mean 0 and variance 1 are kept through many layers. */
public class SELUImpl extends Module {
  private final SELUOptions options;

  /** The default options. */
  public SELUImpl() {
    this(new SELUOptions());
  }

  /** As the options say. */
  public SELUImpl(SELUOptions options) {
    super("SELU");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return options.run(input, x -> torch.selu(x));
    }
  }

  /** How it was made. */
  public SELUOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return options.describe("");
  }
}
