package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The input minus its hyperbolic tangent. */
public class TanhshrinkImpl extends Module {
  /** The function. */
  public TanhshrinkImpl() {
    super("Tanhshrink");
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.tanhshrink(input);
    }
  }
}
