package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Softmax of the input with its sign changed. */
public class SoftminImpl extends Module {
  private final SoftminOptions options;

  /** Over the given dimension. */
  public SoftminImpl(long dim) {
    this(new SoftminOptions(dim));
  }

  /** As the options say. */
  public SoftminImpl(SoftminOptions options) {
    super("Softmin");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.softmin(input, options.dim().get());
    }
  }

  /** How it was made. */
  public SoftminOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "dim=" + options.dim().get();
  }
}
