package org.onetape.nn;

/** How a {@link TransformerEncoderLayerImpl} is made. */
public final class TransformerEncoderLayerOptions
    extends TransformerLayerOptionsBase<TransformerEncoderLayerOptions> {
  /** A layer of so many features and heads. */
  public TransformerEncoderLayerOptions(long dModel, long nhead) {
    super(dModel, nhead);
  }

  @Override
  TransformerEncoderLayerOptions self() {
    return this;
  }
}
