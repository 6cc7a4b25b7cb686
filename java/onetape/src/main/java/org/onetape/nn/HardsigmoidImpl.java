package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** min(max(input / 6 + 1/2, 0), 1) */
public class HardsigmoidImpl extends Module {
  /** The function. */
  public HardsigmoidImpl() {
    super("Hardsigmoid");
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.hardsigmoid(input);
    }
  }
}
