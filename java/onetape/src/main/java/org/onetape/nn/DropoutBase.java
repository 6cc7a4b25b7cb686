package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;

/** What layers share that leave something out at random while training. */
public abstract class DropoutBase extends Module {
  private final DropoutOptions options;

  DropoutBase(String name, DropoutOptions options) {
    super(name);
    double p = options.p().get();
    if (!(p >= 0 && p <= 1)) {
      throw new IllegalArgumentException(
          "dropout probability has to be between 0 and 1, but got " + p);
    }
    this.options = options;
  }

  /** The input, thinned out while training. */
  abstract Tensor dropped(Tensor input, double p, boolean training);

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      Tensor result = dropped(input, options.p().get(), is_training());
      return options.inplace().get() && is_training() ? input.copy_(result) : result;
    }
  }

  /** How the layer was made. */
  public DropoutOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "p="
        + PythonText.of(options.p().get())
        + ", inplace="
        + PythonText.of(options.inplace().get());
  }
}
