package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;

/** The larger of each element and zero. */
public class ReLUImpl extends Module {
  /** The function. */
  public ReLUImpl() {
    super("ReLU");
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return input.relu();
    }
  }
}
