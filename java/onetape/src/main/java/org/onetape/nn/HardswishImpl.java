package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The input times its hard sigmoid. */
public class HardswishImpl extends Module {
  /** The function. */
  public HardswishImpl() {
    super("Hardswish");
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.hardswish(input);
    }
  }
}
