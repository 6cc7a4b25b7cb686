package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.DoublePointer;
import org.onetape.LongPointer;
import org.onetape.Value;

/**
 * What the options of both layers of transformers share; O is the class of the options themselves.
 */
public abstract class TransformerLayerOptionsBase<O extends TransformerLayerOptionsBase<O>>
    extends Value {
  private final LongPointer dModel;
  private final LongPointer nhead;
  private final LongPointer dimFeedforward = new LongPointer(new long[] {2048});
  private final DoublePointer dropout = new DoublePointer(new double[] {0.1});
  private final DoublePointer layerNormEps = new DoublePointer(new double[] {1e-5});
  private final BoolPointer batchFirst = new BoolPointer(false);
  private final BoolPointer normFirst = new BoolPointer(false);
  private TransformerActivation activation = new TransformerActivation(new kReLU());

  TransformerLayerOptionsBase(long dModel, long nhead) {
    this.dModel = new LongPointer(new long[] {dModel});
    this.nhead = new LongPointer(new long[] {nhead});
  }

  abstract O self();

  /** The number of features. */
  public LongPointer d_model() {
    return dModel;
  }

  /** Sets the number of features; returns this. */
  public O d_model(long value) {
    dModel.put(value);
    return self();
  }

  /** The number of heads. */
  public LongPointer nhead() {
    return nhead;
  }

  /** Sets the number of heads; returns this. */
  public O nhead(long value) {
    nhead.put(value);
    return self();
  }

  /** The features between the two linear maps. */
  public LongPointer dim_feedforward() {
    return dimFeedforward;
  }

  /** Sets the features between the two linear maps; returns this. */
  public O dim_feedforward(long value) {
    dimFeedforward.put(value);
    return self();
  }

  /** The probability with which an element becomes 0 in training. */
  public DoublePointer dropout() {
    return dropout;
  }

  /** Sets the probability with which an element becomes 0 in training; returns this. */
  public O dropout(double value) {
    dropout.put(value);
    return self();
  }

  /** What is added to variances. */
  public DoublePointer layer_norm_eps() {
    return layerNormEps;
  }

  /** Sets what is added to variances; returns this. */
  public O layer_norm_eps(double value) {
    layerNormEps.put(value);
    return self();
  }

  /** Whether the batch is the first dimension. */
  public BoolPointer batch_first() {
    return batchFirst;
  }

  /** Sets whether the batch is the first dimension; returns this. */
  public O batch_first(boolean value) {
    batchFirst.put(value);
    return self();
  }

  /** Whether parts are normalised before, rather than after. */
  public BoolPointer norm_first() {
    return normFirst;
  }

  /** Sets whether parts are normalised before, rather than after; returns this. */
  public O norm_first(boolean value) {
    normFirst.put(value);
    return self();
  }

  /** What stands between the two linear maps. */
  public TransformerActivation activation() {
    return activation;
  }

  /** Sets what stands between the two linear maps; returns this. */
  public O activation(TransformerActivation value) {
    activation = value;
    return self();
  }
}
