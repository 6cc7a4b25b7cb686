package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The input where it is positive, else alpha · (exp(input) − 1). */
public class ELUImpl extends Module {
  private final ELUOptions options;

  /** The default options. */
  public ELUImpl() {
    this(new ELUOptions());
  }

  /** As the options say. */
  public ELUImpl(ELUOptions options) {
    super("ELU");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return options.run(input, x -> torch.elu(x, options.alpha().get()));
    }
  }

  /** How it was made. */
  public ELUOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return options.describe("alpha=" + PythonText.of(options.alpha().get()));
  }
}
