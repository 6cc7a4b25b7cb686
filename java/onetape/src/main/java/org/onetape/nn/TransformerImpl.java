package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.LongVector;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch;
import org.onetape.internal.Init;

/** Encoder and decoder. */
public class TransformerImpl extends Module {
  private final TransformerOptions options;

  /** A transformer of so many features and heads, with six layers on each side. */
  public TransformerImpl(long size, long heads) {
    this(new TransformerOptions(size, heads, 6, 6));
  }

  /** A transformer as the options say. */
  public TransformerImpl(TransformerOptions options) {
    super("Transformer");
    this.options = options;
    long size = options.d_model().get();
    long heads = options.nhead().get();
    TransformerEncoderLayerOptions encoder =
        new TransformerEncoderLayerOptions(size, heads)
            .dim_feedforward(options.dim_feedforward().get())
            .dropout(options.dropout().get())
            .activation(options.activation())
            .layer_norm_eps(options.layer_norm_eps().get())
            .batch_first(options.batch_first().get())
            .norm_first(options.norm_first().get());
    TransformerDecoderLayerOptions decoder =
        new TransformerDecoderLayerOptions(size, heads)
            .dim_feedforward(options.dim_feedforward().get())
            .dropout(options.dropout().get())
            .activation(options.activation())
            .layer_norm_eps(options.layer_norm_eps().get())
            .batch_first(options.batch_first().get())
            .norm_first(options.norm_first().get());
    long onOneSide = options.num_encoder_layers().get();
    register_module(
        "encoder",
        new TransformerEncoderImpl(
            new TransformerEncoderOptions(encoder, onOneSide).norm(norm(size))));
    long onTheOther = options.num_decoder_layers().get();
    register_module(
        "decoder",
        new TransformerDecoderImpl(
            new TransformerDecoderOptions(decoder, onTheOther).norm(norm(size))));
    _reset_parameters();
  }

  private LayerNormImpl norm(long size) {
    return new LayerNormImpl(
        new LayerNormOptions(new LongVector(size)).eps(options.layer_norm_eps().get()));
  }

  /** Draws new values for all weights. */
  public final void _reset_parameters() {
    for (Tensor parameter : parameters()) {
      if (parameter.dim() > 1) {
        Init.xavierUniform(parameter, 1);
      }
    }
  }

  /** A sequence in the shape of tgt. */
  @Override
  public Tensor forward(Tensor src, Tensor tgt) {
    Tensor none = new Tensor();
    return forward(src, tgt, none, none, none, none, none, none);
  }

  /** The same with masks as those of {@link MultiheadAttentionImpl}; undefined for none. */
  public Tensor forward(
      Tensor src,
      Tensor tgt,
      Tensor srcMask,
      Tensor tgtMask,
      Tensor memoryMask,
      Tensor srcKeyPaddingMask,
      Tensor tgtKeyPaddingMask,
      Tensor memoryKeyPaddingMask) {
    try (GraphRecording.Call call = entered()) {
      int batchDim = options.batch_first().get() ? 0 : 1;
      if (src.dim() == 3 && src.size(batchDim) != tgt.size(batchDim)) {
        throw new TorchException("the batch number of src and tgt must be equal");
      }
      long size = options.d_model().get();
      if (src.size(-1) != size || tgt.size(-1) != size) {
        throw new TorchException("the feature number of src and tgt must be equal to d_model");
      }
      TransformerEncoderImpl encoder = encoder();
      Tensor memory =
          encoder.call(
              new Tensor[] {src}, in -> encoder.forward(in[0], srcMask, srcKeyPaddingMask));
      TransformerDecoderImpl decoder = decoder();
      return decoder.call(
          new Tensor[] {tgt, memory},
          in ->
              decoder.forward(
                  in[0], in[1], tgtMask, memoryMask, tgtKeyPaddingMask, memoryKeyPaddingMask));
    }
  }

  @Override
  final Tensor forwardAll(Tensor... in) {
    return in.length == 8
        ? forward(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7])
        : super.forwardAll(in);
  }

  /** A mask of numbers, (size, size), under which a step sees itself and those before it. */
  public static Tensor generate_square_subsequent_mask(long size) {
    return torch.full(new long[] {size, size}, Double.NEGATIVE_INFINITY).triu(1);
  }

  /** The encoder. */
  public TransformerEncoderImpl encoder() {
    return (TransformerEncoderImpl) childMap().get("encoder");
  }

  /** The decoder. */
  public TransformerDecoderImpl decoder() {
    return (TransformerDecoderImpl) childMap().get("decoder");
  }

  /** How the transformer was made. */
  public TransformerOptions options() {
    return options;
  }
}
