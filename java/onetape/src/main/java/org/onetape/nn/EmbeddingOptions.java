package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.LongOptional;
import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.Value;

/** How an {@link EmbeddingImpl} is made. */
public final class EmbeddingOptions extends Value {
  private final LongPointer numEmbeddings;
  private final LongPointer embeddingDim;
  private final LongOptional paddingIdx = new LongOptional();
  private final BoolPointer scaleGradByFreq = new BoolPointer(false);
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

  /** The index whose vector is zero at first and gets no gradient, if any. */
  public LongOptional padding_idx() {
    return paddingIdx;
  }

  /** Sets the index whose vector is zero at first and gets no gradient; returns this. */
  public EmbeddingOptions padding_idx(LongOptional index) {
    paddingIdx.put(index);
    return this;
  }

  /** Whether gradients are divided by how often an index occurs. */
  public BoolPointer scale_grad_by_freq() {
    return scaleGradByFreq;
  }

  /** Sets whether gradients are divided by how often an index occurs; returns this. */
  public EmbeddingOptions scale_grad_by_freq(boolean wanted) {
    scaleGradByFreq.put(wanted);
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
}
