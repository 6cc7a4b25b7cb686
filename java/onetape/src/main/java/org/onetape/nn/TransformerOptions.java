package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.DoublePointer;
import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link TransformerImpl} is made. */
public final class TransformerOptions extends Value {
  private final LongPointer dModel;
  private final LongPointer nhead;
  private final LongPointer numEncoderLayers;
  private final LongPointer numDecoderLayers;
  private final LongPointer dimFeedforward = new LongPointer(new long[] {2048});
  private final DoublePointer dropout = new DoublePointer(new double[] {0.1});
  private final DoublePointer layerNormEps = new DoublePointer(new double[] {1e-5});
  private final BoolPointer batchFirst = new BoolPointer(false);
  private final BoolPointer normFirst = new BoolPointer(false);
  private TransformerActivation activation = new TransformerActivation(new kReLU());

  /** A transformer of so many features, heads and layers. */
  public TransformerOptions(long dModel, long nhead, long numEncoderLayers, long numDecoderLayers) {
    this.dModel = new LongPointer(new long[] {dModel});
    this.nhead = new LongPointer(new long[] {nhead});
    this.numEncoderLayers = new LongPointer(new long[] {numEncoderLayers});
    this.numDecoderLayers = new LongPointer(new long[] {numDecoderLayers});
  }

  /** The number of features. */
  public LongPointer d_model() {
    return dModel;
  }

  /** Sets the number of features; returns this. */
  public TransformerOptions d_model(long value) {
    dModel.put(value);
    return this;
  }

  /** The number of heads. */
  public LongPointer nhead() {
    return nhead;
  }

  /** Sets the number of heads; returns this. */
  public TransformerOptions nhead(long value) {
    nhead.put(value);
    return this;
  }

  /** The number of the encoder's layers. */
  public LongPointer num_encoder_layers() {
    return numEncoderLayers;
  }

  /** Sets the number of the encoder's layers; returns this. */
  public TransformerOptions num_encoder_layers(long value) {
    numEncoderLayers.put(value);
    return this;
  }

  /** The number of the decoder's layers. */
  public LongPointer num_decoder_layers() {
    return numDecoderLayers;
  }

  /** Sets the number of the decoder's layers; returns this. */
  public TransformerOptions num_decoder_layers(long value) {
    numDecoderLayers.put(value);
    return this;
  }

  /** The features between the two linear maps. */
  public LongPointer dim_feedforward() {
    return dimFeedforward;
  }

  /** Sets the features between the two linear maps; returns this. */
  public TransformerOptions dim_feedforward(long value) {
    dimFeedforward.put(value);
    return this;
  }

  /** The probability with which an element becomes 0 in training. */
  public DoublePointer dropout() {
    return dropout;
  }

  /** Sets the probability with which an element becomes 0 in training; returns this. */
  public TransformerOptions dropout(double value) {
    dropout.put(value);
    return this;
  }

  /** What is added to variances. */
  public DoublePointer layer_norm_eps() {
    return layerNormEps;
  }

  /** Sets what is added to variances; returns this. */
  public TransformerOptions layer_norm_eps(double value) {
    layerNormEps.put(value);
    return this;
  }

  /** Whether the batch is the first dimension. */
  public BoolPointer batch_first() {
    return batchFirst;
  }

  /** Sets whether the batch is the first dimension; returns this. */
  public TransformerOptions batch_first(boolean value) {
    batchFirst.put(value);
    return this;
  }

  /** Whether parts are normalised before, rather than after. */
  public BoolPointer norm_first() {
    return normFirst;
  }

  /** Sets whether parts are normalised before, rather than after; returns this. */
  public TransformerOptions norm_first(boolean value) {
    normFirst.put(value);
    return this;
  }

  /** What stands between the two linear maps. */
  public TransformerActivation activation() {
    return activation;
  }

  /** Sets what stands between the two linear maps; returns this. */
  public TransformerOptions activation(TransformerActivation value) {
    activation = value;
    return this;
  }
}
