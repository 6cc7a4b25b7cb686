package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;

/**
 * Attention of a sequence to itself, then two linear maps, each added to what went in and
 * normalised.
 */
public class TransformerEncoderLayerImpl extends TransformerLayer {
  private final TransformerEncoderLayerOptions options;

  /** A layer of so many features and heads. */
  public TransformerEncoderLayerImpl(long size, long heads) {
    this(new TransformerEncoderLayerOptions(size, heads));
  }

  /** A layer as the options say. */
  public TransformerEncoderLayerImpl(TransformerEncoderLayerOptions options) {
    super(
        "TransformerEncoderLayer",
        1,
        attention(
            options.d_model().get(),
            options.nhead().get(),
            options.dropout().get(),
            options.batch_first().get()),
        options.dim_feedforward().get(),
        options.layer_norm_eps().get(),
        options.norm_first().get(),
        options.activation());
    this.options = options;
  }

  /** A sequence in the shape of src. */
  @Override
  public Tensor forward(Tensor src) {
    return forward(src, new Tensor(), new Tensor());
  }

  /** The same with masks as those of {@link MultiheadAttentionImpl}; undefined for none. */
  @Override
  public Tensor forward(Tensor src, Tensor mask, Tensor keyPaddingMask) {
    return forward(src, mask, keyPaddingMask, false);
  }

  final Tensor forward(Tensor src, Tensor mask, Tensor padding, boolean causal) {
    try (GraphRecording.Call call = entered()) {
      Tensor x = with(1, src, y -> attended("self_attn", y, y, mask, padding, causal));
      return with(2, x, this::mapped);
    }
  }

  /** How the layer was made. */
  public TransformerEncoderLayerOptions options() {
    return options;
  }
}
