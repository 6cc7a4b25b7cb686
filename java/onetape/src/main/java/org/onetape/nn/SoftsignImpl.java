package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The input divided by one more than its absolute value. */
public class SoftsignImpl extends Module {
  /** The function. */
  public SoftsignImpl() {
    super("Softsign");
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.softsign(input);
    }
  }
}
