package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;

/** Attention of a sequence to itself, then to another, then two linear maps. */
public class TransformerDecoderLayerImpl extends TransformerLayer {
  private final TransformerDecoderLayerOptions options;

  /** A layer of so many features and heads. */
  public TransformerDecoderLayerImpl(long size, long heads) {
    this(new TransformerDecoderLayerOptions(size, heads));
  }

  /** A layer as the options say. */
  public TransformerDecoderLayerImpl(TransformerDecoderLayerOptions options) {
    super(
        "TransformerDecoderLayer",
        2,
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

  /** A sequence in the shape of tgt; memory is what the encoder gave. */
  @Override
  public Tensor forward(Tensor tgt, Tensor memory) {
    Tensor none = new Tensor();
    return forward(tgt, memory, none, none, none, none);
  }

  /** The same with masks as those of {@link MultiheadAttentionImpl}; undefined for none. */
  public Tensor forward(
      Tensor tgt,
      Tensor memory,
      Tensor tgtMask,
      Tensor memoryMask,
      Tensor tgtKeyPaddingMask,
      Tensor memoryKeyPaddingMask) {
    Tensor[] masks = {tgtMask, memoryMask, tgtKeyPaddingMask, memoryKeyPaddingMask};
    return forward(tgt, memory, masks, false);
  }

  final Tensor forward(Tensor tgt, Tensor memory, Tensor[] masks, boolean causal) {
    try (GraphRecording.Call call = entered()) {
      Tensor x = with(1, tgt, y -> attended("self_attn", y, y, masks[0], masks[2], causal));
      x = with(2, x, y -> attended("multihead_attn", y, memory, masks[1], masks[3], false));
      return with(3, x, this::mapped);
    }
  }

  @Override
  final Tensor forwardAll(Tensor... in) {
    return in.length == 6
        ? forward(in[0], in[1], in[2], in[3], in[4], in[5])
        : super.forwardAll(in);
  }

  /** How the layer was made. */
  public TransformerDecoderLayerOptions options() {
    return options;
  }
}
