package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.LongPointer;
import org.onetape.Tensor;

/** How an {@link EmbeddingBagImpl} is made. */
public final class EmbeddingBagOptions extends EmbeddingOptionsBase<EmbeddingBagOptions> {
  private final LongPointer numEmbeddings;
  private final LongPointer embeddingDim;
  private final BoolPointer includeLastOffset = new BoolPointer(false);
  private EmbeddingBagMode mode = new EmbeddingBagMode(new kMean());
  private Tensor weight = new Tensor();

  /** A table of a number of vectors of a size, and the mean of each bag. */
  public EmbeddingBagOptions(long numEmbeddings, long embeddingDim) {
    this.numEmbeddings = new LongPointer(new long[] {numEmbeddings});
    this.embeddingDim = new LongPointer(new long[] {embeddingDim});
  }

  /** The number of vectors. */
  public LongPointer num_embeddings() {
    return numEmbeddings;
  }

  /** Sets the number of vectors; returns this. */
  public EmbeddingBagOptions num_embeddings(long number) {
    numEmbeddings.put(number);
    return this;
  }

  /** The size of the vectors. */
  public LongPointer embedding_dim() {
    return embeddingDim;
  }

  /** Sets the size of the vectors; returns this. */
  public EmbeddingBagOptions embedding_dim(long size) {
    embeddingDim.put(size);
    return this;
  }

  /** What becomes of the vectors of a bag. */
  public EmbeddingBagMode mode() {
    return mode;
  }

  /** Sets what becomes of the vectors of a bag; returns this. */
  public EmbeddingBagOptions mode(EmbeddingBagMode value) {
    mode = value;
    return this;
  }

  /** Whether offsets end with the end of the last bag. */
  public BoolPointer include_last_offset() {
    return includeLastOffset;
  }

  /** Sets whether offsets end with the end of the last bag; returns this. */
  public EmbeddingBagOptions include_last_offset(boolean wanted) {
    includeLastOffset.put(wanted);
    return this;
  }

  /** The first values; undefined where they are drawn. */
  public Tensor _weight() {
    return weight;
  }

  /** Sets the first values; returns this. */
  public EmbeddingBagOptions _weight(Tensor values) {
    weight = values;
    return this;
  }

  @Override
  EmbeddingBagOptions self() {
    return this;
  }
}
