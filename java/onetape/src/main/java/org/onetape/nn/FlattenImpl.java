package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;

/** Several dimensions as one. */
public class FlattenImpl extends Module {
  private final FlattenOptions options;

  /** Every dimension but the first becomes one. */
  public FlattenImpl() {
    this(new FlattenOptions());
  }

  /** The function as the options say. */
  public FlattenImpl(FlattenOptions options) {
    super("Flatten");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return input.flatten(options.start_dim().get(), options.end_dim().get());
    }
  }

  /** How the function was made. */
  public FlattenOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "start_dim=" + options.start_dim().get() + ", end_dim=" + options.end_dim().get();
  }
}
