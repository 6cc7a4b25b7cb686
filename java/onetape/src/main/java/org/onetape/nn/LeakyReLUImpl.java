package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Each element, times a small slope where it is below zero. */
public class LeakyReLUImpl extends Module {
  private final LeakyReLUOptions options;

  /** The default slope of 0.01. */
  public LeakyReLUImpl() {
    this(new LeakyReLUOptions());
  }

  /** The function as the options say. */
  public LeakyReLUImpl(LeakyReLUOptions options) {
    super("LeakyReLU");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.leaky_relu(input, options.negative_slope().get());
    }
  }

  /** How the function was made. */
  public LeakyReLUOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "negative_slope=" + PythonText.of(options.negative_slope().get());
  }
}
