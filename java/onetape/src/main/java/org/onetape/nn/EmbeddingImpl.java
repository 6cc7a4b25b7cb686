package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.global.torch;
import org.onetape.internal.Init;

/** A table of vectors, which are looked up by their indices. */
public class EmbeddingImpl extends Module {
  private final EmbeddingOptions options;
  private final long paddingIndex;

  /** A table of a number of vectors of a size. */
  public EmbeddingImpl(long numEmbeddings, long embeddingDim) {
    this(new EmbeddingOptions(numEmbeddings, embeddingDim));
  }

  /** A table as the options say. */
  public EmbeddingImpl(EmbeddingOptions options) {
    super("Embedding");
    this.options = options;
    long count = options.num_embeddings().get();
    paddingIndex = paddingIndex(options, count);
    if (options._weight().defined()) {
      register_parameter("weight", options._weight());
    } else {
      register_parameter("weight", torch.empty(count, options.embedding_dim().get()));
      reset_parameters();
    }
  }

  /** A table with the given vectors. */
  public static EmbeddingImpl from_pretrained(
      Tensor embeddings, EmbeddingFromPretrainedOptions options) {
    if (embeddings.dim() != 2) {
      throw new IllegalArgumentException("Embeddings parameter is expected to be 2-dimensional");
    }
    EmbeddingImpl made =
        new EmbeddingImpl(
            new EmbeddingOptions(embeddings.size(0), embeddings.size(1))
                ._weight(embeddings)
                .like(options));
    made.own("weight").requires_grad_(!options.freeze().get());
    return made;
  }

  private static long paddingIndex(EmbeddingOptions options, long count) {
    if (!options.padding_idx().has_value()) {
      return -1;
    }
    long index = options.padding_idx().get();
    if (index >= count || index < -count) {
      throw new IllegalArgumentException("Padding_idx must be within num_embeddings");
    }
    return index < 0 ? index + count : index;
  }

  /** Draws new values for the vectors. */
  public final void reset_parameters() {
    Init.normal(own("weight"), 0, 1);
    if (paddingIndex >= 0) {
      try (NoGradGuard guard = new NoGradGuard();
          Tensor row = own("weight").get(paddingIndex)) {
        row.fill_(0);
      }
    }
  }

  /** The vectors of the given indices, whose shape the result has with one dimension more. */
  @Override
  public Tensor forward(Tensor indices) {
    options.shorten(own("weight"), indices);
    try (GraphRecording.Call call = entered()) {
      return torch.embedding(
          own("weight"), indices, paddingIndex, options.scale_grad_by_freq().get(), false);
    }
  }

  /** The vectors. */
  public Tensor weight() {
    return parameter("weight");
  }

  /** Puts another tensor in the place of the vectors; returns this. */
  public EmbeddingImpl weight(Tensor weight) {
    parameter("weight", weight);
    return this;
  }

  /** How the table was made. */
  public EmbeddingOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    String text = options.num_embeddings().get() + ", " + options.embedding_dim().get();
    String padding = paddingIndex < 0 ? "" : ", padding_idx=" + paddingIndex;
    return text + padding + options.describeNorms();
  }
}
