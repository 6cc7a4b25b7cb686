package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.LongOptional;
import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.TensorOptional;
import org.onetape.global.torch;
import org.onetape.internal.Init;

/** A table of vectors, of which the sum, mean or maximum of each bag of indices is taken. */
public class EmbeddingBagImpl extends Module {
  private final EmbeddingBagOptions options;
  private final LongOptional paddingIndex = new LongOptional();

  /** A table of a number of vectors of a size, and the mean of each bag. */
  public EmbeddingBagImpl(long numEmbeddings, long embeddingDim) {
    this(new EmbeddingBagOptions(numEmbeddings, embeddingDim));
  }

  /** A table as the options say. */
  public EmbeddingBagImpl(EmbeddingBagOptions options) {
    super("EmbeddingBag");
    this.options = options;
    long count = options.num_embeddings().get();
    if (options.padding_idx().has_value()) {
      long index = options.padding_idx().get();
      if (index >= count || index < -count) {
        throw new IllegalArgumentException("padding_idx must be within num_embeddings");
      }
      paddingIndex.put(index < 0 ? index + count : index);
    }
    if (options._weight().defined()) {
      register_parameter("weight", options._weight());
    } else {
      register_parameter("weight", torch.empty(count, options.embedding_dim().get()));
      reset_parameters();
    }
  }

  /** A table with the given vectors. */
  public static EmbeddingBagImpl from_pretrained(
      Tensor embeddings, EmbeddingBagFromPretrainedOptions options) {
    if (embeddings.dim() != 2) {
      throw new IllegalArgumentException("Embeddings parameter is expected to be 2-dimensional");
    }
    EmbeddingBagImpl made =
        new EmbeddingBagImpl(
            new EmbeddingBagOptions(embeddings.size(0), embeddings.size(1))
                ._weight(embeddings)
                .mode(options.mode())
                .include_last_offset(options.include_last_offset().get())
                .like(options));
    made.own("weight").requires_grad_(!options.freeze().get());
    return made;
  }

  /** Draws new values for the vectors. */
  public final void reset_parameters() {
    Init.normal(own("weight"), 0, 1);
    if (paddingIndex.has_value()) {
      try (NoGradGuard guard = new NoGradGuard();
          Tensor row = own("weight").get(paddingIndex.get())) {
        row.fill_(0);
      }
    }
  }

  /** One vector for each row of indices: (bags, size of each). */
  @Override
  public Tensor forward(Tensor indices) {
    return bags(indices, new TensorOptional(), new TensorOptional());
  }

  /** One vector for each bag; offsets say where each begins among the indices. */
  @Override
  public Tensor forward(Tensor indices, Tensor offsets) {
    return bags(indices, new TensorOptional(offsets), new TensorOptional());
  }

  /** The same with factors of the vectors, for sums; offsets may be undefined. */
  @Override
  public Tensor forward(Tensor indices, Tensor offsets, Tensor perSampleWeights) {
    return bags(indices, new TensorOptional(offsets), new TensorOptional(perSampleWeights));
  }

  private Tensor bags(Tensor indices, TensorOptional offsets, TensorOptional factors) {
    options.shorten(own("weight"), indices);
    try (GraphRecording.Call call = entered()) {
      return torch.embedding_bag(
          indices,
          own("weight"),
          offsets,
          options.mode().toString(),
          options.scale_grad_by_freq().get(),
          factors,
          options.include_last_offset().get(),
          paddingIndex);
    }
  }

  /** The vectors. */
  public Tensor weight() {
    return parameter("weight");
  }

  /** Puts another tensor in the place of the vectors; returns this. */
  public EmbeddingBagImpl weight(Tensor weight) {
    parameter("weight", weight);
    return this;
  }

  /** How the table was made. */
  public EmbeddingBagOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    String text = options.num_embeddings().get() + ", " + options.embedding_dim().get();
    text += options.describeNorms() + ", mode='" + options.mode() + "'";
    return paddingIndex.has_value() ? text + ", padding_idx=" + paddingIndex.get() : text;
  }
}
