package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Tensor;

/** How an {@link EmbeddingImpl} is made. */
public final class EmbeddingOptions extends EmbeddingOptionsBase<EmbeddingOptions> {
  private final LongPointer numEmbeddings;
  private final LongPointer embeddingDim;
  private Tensor weight = new Tensor();

  /** A table of a number of vectors of a size. */
  public EmbeddingOptions(long numEmbeddings, long embeddingDim) {
    this.numEmbeddings = new LongPointer(new long[] {numEmbeddings});
    this.embeddingDim = new LongPointer(new long[] {embeddingDim});
  }

  /** The number of vectors. */
  public LongPointer num_embeddings() {
    return numEmbeddings;
  }

  /** Sets the number of vectors; returns this. */
  public EmbeddingOptions num_embeddings(long number) {
    numEmbeddings.put(number);
    return this;
  }

  /** The size of the vectors. */
  public LongPointer embedding_dim() {
    return embeddingDim;
  }

  /** Sets the size of the vectors; returns this. */
  public EmbeddingOptions embedding_dim(long size) {
    embeddingDim.put(size);
    return this;
  }

  /** The first values; undefined where they are drawn. */
  public Tensor _weight() {
    return weight;
  }

  /** Sets the first values; returns this. */
  public EmbeddingOptions _weight(Tensor values) {
    weight = values;
    return this;
  }

  @Override
  EmbeddingOptions self() {
    return this;
  }
}
