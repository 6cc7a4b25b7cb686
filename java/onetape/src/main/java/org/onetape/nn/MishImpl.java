package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The input times the hyperbolic tangent of its softplus. */
public class MishImpl extends Module {
  /** The function. */
  public MishImpl() {
    super("Mish");
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.mish(input);
    }
  }
}
