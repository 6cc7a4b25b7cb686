package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The input where it is above a threshold, else a value. */
public class ThresholdImpl extends Module {
  private final ThresholdOptions options;

  /** The given threshold, and what stands for smaller numbers. */
  public ThresholdImpl(double threshold, double value) {
    this(new ThresholdOptions(threshold, value));
  }

  /** As the options say. */
  public ThresholdImpl(ThresholdOptions options) {
    super("Threshold");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return options.run(
          input, x -> torch.threshold(x, options.threshold().get(), options.value().get()));
    }
  }

  /** How it was made. */
  public ThresholdOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return options.describe(
        "threshold="
            + PythonText.of(options.threshold().get())
            + ", value="
            + PythonText.of(options.value().get()));
  }
}
