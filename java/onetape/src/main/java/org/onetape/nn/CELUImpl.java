package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The input where it is positive, else alpha · (exp(input / alpha) − 1). */
public class CELUImpl extends Module {
  private final CELUOptions options;

  /** The default options. */
  public CELUImpl() {
    this(new CELUOptions());
  }

  /** As the options say. */
  public CELUImpl(CELUOptions options) {
    super("CELU");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return options.run(input, x -> torch.celu(x, options.alpha().get()));
    }
  }

  /** How it was made. */
  public CELUOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return options.describe("alpha=" + PythonText.of(options.alpha().get()));
  }
}
