package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The logarithm of the logistic function, without overflow. */
public class LogSigmoidImpl extends Module {
  /** The function. */
  public LogSigmoidImpl() {
    super("LogSigmoid");
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.logsigmoid(input);
    }
  }
}
