package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/**
 * Minus the logarithm of the probability of sequences of labels, over all ways to spread them over
 * the steps.
 */
public class CTCLossImpl extends Module {
  private final CTCLossOptions options;

  /** The default options. */
  public CTCLossImpl() {
    this(new CTCLossOptions());
  }

  /** As the options say. */
  public CTCLossImpl(CTCLossOptions options) {
    super("CTCLoss");
    this.options = options;
  }

  /** The loss of log-probabilities, (steps, samples, classes), with the lengths of each sample. */
  public Tensor forward(
      Tensor logProbs, Tensor targets, Tensor inputLengths, Tensor targetLengths) {
    try (GraphRecording.Call call = entered()) {
      return torch.ctc_loss(
          logProbs,
          targets,
          inputLengths,
          targetLengths,
          options.blank().get(),
          options.word(),
          options.zero_infinity().get());
    }
  }

  /** How it was made. */
  public CTCLossOptions options() {
    return options;
  }
}
