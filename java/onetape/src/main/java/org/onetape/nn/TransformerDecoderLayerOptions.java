package org.onetape.nn;

/** How a {@link TransformerDecoderLayerImpl} is made. */
public final class TransformerDecoderLayerOptions
    extends TransformerLayerOptionsBase<TransformerDecoderLayerOptions> {
  /** A layer of so many features and heads. */
  public TransformerDecoderLayerOptions(long dModel, long nhead) {
    super(dModel, nhead);
  }

  @Override
  TransformerDecoderLayerOptions self() {
    return this;
  }
}
