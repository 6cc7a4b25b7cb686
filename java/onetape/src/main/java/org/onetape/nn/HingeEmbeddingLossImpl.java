package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The input where the target is 1, max(0, margin − input) where it is −1. */
public class HingeEmbeddingLossImpl extends LossModule {
  private final HingeEmbeddingLossOptions options;

  /** The default options. */
  public HingeEmbeddingLossImpl() {
    this(new HingeEmbeddingLossOptions());
  }

  /** As the options say. */
  public HingeEmbeddingLossImpl(HingeEmbeddingLossOptions options) {
    super("HingeEmbeddingLoss");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input, Tensor target) {
    try (GraphRecording.Call call = entered()) {
      return torch.hinge_embedding_loss(input, target, options.margin().get(), options.word());
    }
  }

  /** How it was made. */
  public HingeEmbeddingLossOptions options() {
    return options;
  }
}
