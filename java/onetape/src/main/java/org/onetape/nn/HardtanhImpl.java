package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The input, but at least min_val and at most max_val. */
public class HardtanhImpl extends Module {
  private final HardtanhOptions options;

  /** The default options. */
  public HardtanhImpl() {
    this(new HardtanhOptions());
  }

  /** As the options say. */
  public HardtanhImpl(HardtanhOptions options) {
    super("Hardtanh");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return options.run(
          input, x -> torch.hardtanh(x, options.min_val().get(), options.max_val().get()));
    }
  }

  /** How it was made. */
  public HardtanhOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return options.describe(
        "min_val="
            + PythonText.of(options.min_val().get())
            + ", max_val="
            + PythonText.of(options.max_val().get()));
  }
}
