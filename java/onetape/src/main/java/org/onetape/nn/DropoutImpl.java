package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/**
 * In training, sets elements to zero at random and scales the others so that the mean stays; in
 * evaluation, lets everything through.
 */
public class DropoutImpl extends Module {
  private final DropoutOptions options;

  /** A probability of one half. */
  public DropoutImpl() {
    this(0.5);
  }

  /** The given probability that an element is dropped. */
  public DropoutImpl(double p) {
    this(new DropoutOptions(p));
  }

  /** A layer as the options say. */
  public DropoutImpl(DropoutOptions options) {
    super("Dropout");
    double p = options.p().get();
    if (!(p >= 0 && p <= 1)) {
      throw new IllegalArgumentException(
          "dropout probability has to be between 0 and 1, but got " + p);
    }
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.dropout(input, options.p().get(), is_training());
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
