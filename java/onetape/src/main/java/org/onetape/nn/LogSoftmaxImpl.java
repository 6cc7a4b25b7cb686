package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;

/** Logarithms of exponentials that add up to one. */
public class LogSoftmaxImpl extends Module {
  private final LogSoftmaxOptions options;

  /** Over the given dimension. */
  public LogSoftmaxImpl(long dim) {
    this(new LogSoftmaxOptions(dim));
  }

  /** The function as the options say. */
  public LogSoftmaxImpl(LogSoftmaxOptions options) {
    super("LogSoftmax");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return input.log_softmax(options.dim().get());
    }
  }

  /** How the function was made. */
  public LogSoftmaxOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "dim=" + options.dim().get();
  }
}
