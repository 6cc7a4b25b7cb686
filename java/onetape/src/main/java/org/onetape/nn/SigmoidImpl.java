package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;

/** The logistic function of each element. */
public class SigmoidImpl extends Module {
  /** The function. */
  public SigmoidImpl() {
    super("Sigmoid");
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return input.sigmoid();
    }
  }
}
