package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The norm of the difference of vectors, which are the last dimension. */
public class PairwiseDistanceImpl extends Module {
  private final PairwiseDistanceOptions options;

  /** The default options. */
  public PairwiseDistanceImpl() {
    this(new PairwiseDistanceOptions());
  }

  /** As the options say. */
  public PairwiseDistanceImpl(PairwiseDistanceOptions options) {
    super("PairwiseDistance");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor x1, Tensor x2) {
    try (GraphRecording.Call call = entered()) {
      return torch.pairwise_distance(
          x1, x2, options.p().get(), options.eps().get(), options.keepdim().get());
    }
  }

  /** How it was made. */
  public PairwiseDistanceOptions options() {
    return options;
  }
}
