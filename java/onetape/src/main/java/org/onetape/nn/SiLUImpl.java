package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Each element times its logistic function. */
public class SiLUImpl extends Module {
  /** The function. */
  public SiLUImpl() {
    super("SiLU");
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.silu(input);
    }
  }
}
