package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.LongVector;
import org.onetape.Tensor;

/** One dimension as several. */
public class UnflattenImpl extends Module {
  private final UnflattenOptions options;

  /** A dimension, and the sizes that it becomes. */
  public UnflattenImpl(long dim, LongVector sizes) {
    this(new UnflattenOptions(dim, sizes));
  }

  /** A dimension, and the sizes that it becomes. */
  public UnflattenImpl(long dim, long... sizes) {
    this(new UnflattenOptions(dim, sizes));
  }

  /** As the options say. */
  public UnflattenImpl(UnflattenOptions options) {
    super("Unflatten");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return input.unflatten(options.dim().get(), options.sizes().get());
    }
  }

  /** How it was made. */
  public UnflattenOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "dim="
        + options.dim().get()
        + ", unflattened_size="
        + PythonText.of(options.sizes().get());
  }
}
