package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The cosine of the angle between vectors. */
public class CosineSimilarityImpl extends Module {
  private final CosineSimilarityOptions options;

  /** The default options. */
  public CosineSimilarityImpl() {
    this(new CosineSimilarityOptions());
  }

  /** As the options say. */
  public CosineSimilarityImpl(CosineSimilarityOptions options) {
    super("CosineSimilarity");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor x1, Tensor x2) {
    try (GraphRecording.Call call = entered()) {
      return torch.cosine_similarity(x1, x2, options.dim().get(), options.eps().get());
    }
  }

  /** How it was made. */
  public CosineSimilarityOptions options() {
    return options;
  }
}
