package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;

/** The hyperbolic tangent of each element. */
public class TanhImpl extends Module {
  /** The function. */
  public TanhImpl() {
    super("Tanh");
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return input.tanh();
    }
  }
}
