package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;

/** Exponentials of the elements, scaled so that they add up to one. */
public class SoftmaxImpl extends Module {
  private final SoftmaxOptions options;

  /** Over the given dimension. */
  public SoftmaxImpl(long dim) {
    this(new SoftmaxOptions(dim));
  }

  /** The function as the options say. */
  public SoftmaxImpl(SoftmaxOptions options) {
    super("Softmax");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return input.softmax(options.dim().get());
    }
  }

  /** How the function was made. */
  public SoftmaxOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "dim=" + options.dim().get();
  }
}
