package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/**
 * 1 − the cosine of two vectors' angle where the target is 1, max(0, cosine − margin) where it is
 * −1.
 */
public class CosineEmbeddingLossImpl extends Module {
  private final CosineEmbeddingLossOptions options;

  /** The default options. */
  public CosineEmbeddingLossImpl() {
    this(new CosineEmbeddingLossOptions());
  }

  /** As the options say. */
  public CosineEmbeddingLossImpl(CosineEmbeddingLossOptions options) {
    super("CosineEmbeddingLoss");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input1, Tensor input2, Tensor target) {
    try (GraphRecording.Call call = entered()) {
      return torch.cosine_embedding_loss(
          input1, input2, target, options.margin().get(), options.word());
    }
  }

  /** The loss, as {@link #forward} gives it. */
  public Tensor apply(Tensor input1, Tensor input2, Tensor target) {
    return forward(input1, input2, target);
  }

  /** How it was made. */
  public CosineEmbeddingLossOptions options() {
    return options;
  }
}
