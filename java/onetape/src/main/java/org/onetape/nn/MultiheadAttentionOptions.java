package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.DoublePointer;
import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link MultiheadAttentionImpl} is made. */
public final class MultiheadAttentionOptions extends Value {
  private final LongPointer embedDim;
  private final LongPointer numHeads;
  private final DoublePointer dropout = new DoublePointer(new double[] {0});
  private final BoolPointer bias = new BoolPointer(true);
  private final BoolPointer addBiasKv = new BoolPointer(false);
  private final BoolPointer addZeroAttn = new BoolPointer(false);
  private final LongPointer kdim = new LongPointer(new long[] {0});
  private final LongPointer vdim = new LongPointer(new long[] {0});
  private final BoolPointer batchFirst = new BoolPointer(false);

  /** Attention of so many heads over so many features. */
  public MultiheadAttentionOptions(long embedDim, long numHeads) {
    this.embedDim = new LongPointer(new long[] {embedDim});
    this.numHeads = new LongPointer(new long[] {numHeads});
  }

  /** The features of query and result. */
  public LongPointer embed_dim() {
    return embedDim;
  }

  /** Sets the features of query and result; returns this. */
  public MultiheadAttentionOptions embed_dim(long value) {
    embedDim.put(value);
    return this;
  }

  /** The number of heads. */
  public LongPointer num_heads() {
    return numHeads;
  }

  /** Sets the number of heads; returns this. */
  public MultiheadAttentionOptions num_heads(long value) {
    numHeads.put(value);
    return this;
  }

  /** The probability with which a weight becomes 0 in training. */
  public DoublePointer dropout() {
    return dropout;
  }

  /** Sets the probability with which a weight becomes 0 in training; returns this. */
  public MultiheadAttentionOptions dropout(double value) {
    dropout.put(value);
    return this;
  }

  /** Whether the linear maps have a bias. */
  public BoolPointer bias() {
    return bias;
  }

  /** Sets whether the linear maps have a bias; returns this. */
  public MultiheadAttentionOptions bias(boolean value) {
    bias.put(value);
    return this;
  }

  /** Whether there is one more key and value, which are parameters. */
  public BoolPointer add_bias_kv() {
    return addBiasKv;
  }

  /** Sets whether there is one more key and value, which are parameters; returns this. */
  public MultiheadAttentionOptions add_bias_kv(boolean value) {
    addBiasKv.put(value);
    return this;
  }

  /** Whether there is one more key and value of zeros. */
  public BoolPointer add_zero_attn() {
    return addZeroAttn;
  }

  /** Sets whether there is one more key and value of zeros; returns this. */
  public MultiheadAttentionOptions add_zero_attn(boolean value) {
    addZeroAttn.put(value);
    return this;
  }

  /** The features of the key; 0 for those of the query. */
  public LongPointer kdim() {
    return kdim;
  }

  /** Sets the features of the key; 0 for those of the query; returns this. */
  public MultiheadAttentionOptions kdim(long value) {
    kdim.put(value);
    return this;
  }

  /** The features of the value; 0 for those of the query. */
  public LongPointer vdim() {
    return vdim;
  }

  /** Sets the features of the value; 0 for those of the query; returns this. */
  public MultiheadAttentionOptions vdim(long value) {
    vdim.put(value);
    return this;
  }

  /** Whether the batch is the first dimension. */
  public BoolPointer batch_first() {
    return batchFirst;
  }

  /** Sets whether the batch is the first dimension; returns this. */
  public MultiheadAttentionOptions batch_first(boolean value) {
    batchFirst.put(value);
    return this;
  }
}
