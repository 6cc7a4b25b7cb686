package org.onetape.nn;

import java.util.function.UnaryOperator;
import org.onetape.LongVector;
import org.onetape.Tensor;

/** What the layers of encoder and decoder share. */
abstract class TransformerLayer extends Module {
  private final TransformerActivation activation;
  private final boolean normFirst;

  TransformerLayer(
      String name,
      int attentions,
      MultiheadAttentionOptions attention,
      long features,
      double epsilon,
      boolean normFirst,
      TransformerActivation activation) {
    super(name);
    this.activation = activation;
    this.normFirst = normFirst;
    long size = attention.embed_dim().get();
    double dropout = attention.dropout().get();
    register_module("self_attn", new MultiheadAttentionImpl(attention));
    if (attentions == 2) {
      register_module("multihead_attn", new MultiheadAttentionImpl(attention));
    }
    register_module("linear1", new LinearImpl(size, features));
    register_module("dropout", new DropoutImpl(dropout));
    register_module("linear2", new LinearImpl(features, size));
    for (int i = 1; i <= attentions + 1; i++) {
      LayerNormOptions norm = new LayerNormOptions(new LongVector(size)).eps(epsilon);
      register_module("norm" + i, new LayerNormImpl(norm));
    }
    for (int i = 1; i <= attentions + 1; i++) {
      register_module("dropout" + i, new DropoutImpl(dropout));
    }
  }

  final Tensor run(String part, Tensor input) {
    return childMap().get(part).call(input);
  }

  final Tensor mapped(Tensor x) {
    return run("linear2", run("dropout", activation.apply(run("linear1", x))));
  }

  final Tensor attended(
      String part, Tensor x, Tensor memory, Tensor mask, Tensor padding, boolean causal) {
    MultiheadAttentionImpl attention = (MultiheadAttentionImpl) childMap().get(part);
    return attention.call(
        new Tensor[] {x, memory, memory},
        in -> attention.attend(in[0], in[1], in[2], padding, false, mask, true, causal).get0());
  }

  /** x plus what a part of the layer makes of it, normalised before or afterwards. */
  final Tensor with(int number, Tensor x, UnaryOperator<Tensor> part) {
    String norm = "norm" + number;
    String dropout = "dropout" + number;
    return normFirst
        ? x.add(run(dropout, part.apply(run(norm, x))))
        : run(norm, x.add(run(dropout, part.apply(x))));
  }

  /** Whether a mask hides exactly what comes later. */
  static boolean isCausal(Tensor mask, Tensor x, boolean batchFirst) {
    if (!mask.defined() || mask.dim() != 2) {
      return false;
    }
    long size = x.dim() == 2 || !batchFirst ? x.size(0) : x.size(1);
    return mask.size(0) == size
        && mask.size(1) == size
        && mask.equal(TransformerImpl.generate_square_subsequent_mask(size).to(mask.scalar_type()));
  }

  static MultiheadAttentionOptions attention(
      long size, long heads, double dropout, boolean batchFirst) {
    MultiheadAttentionOptions options = new MultiheadAttentionOptions(size, heads);
    return options.dropout(dropout).batch_first(batchFirst);
  }
}
