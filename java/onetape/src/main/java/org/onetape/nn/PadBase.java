package org.onetape.nn;

import org.onetape.DoubleOptional;
import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** What layers share that put elements around their input. */
public abstract class PadBase extends Module {
  private final PadOptionsBase<?> options;
  private final String mode;

  PadBase(String name, PadOptionsBase<?> options, String mode) {
    super(name);
    this.options = options;
    this.mode = mode;
  }

  /** What new elements are; none where they follow from the input. */
  DoubleOptional value() {
    return new DoubleOptional();
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.pad(input, options.padding.get(), mode, value());
    }
  }

  @Override
  protected String describe() {
    return options.padding.toString();
  }
}
