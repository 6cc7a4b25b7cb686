package org.onetape.nn;

import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch;

/** One call of attention: the checks and steps of {@link MultiheadAttentionImpl}. */
final class Attention {
  private final MultiheadAttentionImpl of;
  private final long heads;
  private final long headSize;
  private final int batchDim;
  private final int stepDim;
  private final long batch;
  private Tensor mask;
  private Tensor padding;

  Attention(MultiheadAttentionImpl of, Tensor query, boolean batchFirst) {
    this.of = of;
    heads = of.options().num_heads().get();
    headSize = of.options().embed_dim().get() / heads;
    batchDim = batchFirst ? 0 : 1;
    stepDim = 1 - batchDim;
    batch = query.size(batchDim);
  }

  private static void require(boolean condition, String text) {
    if (!condition) {
      throw new TorchException(text);
    }
  }

  /** A mask as numbers to be added; undefined if there is none. */
  static Tensor additive(Tensor mask, String name, Tensor query) {
    if (!mask.defined()) {
      return mask;
    }
    boolean isBool = mask.scalar_type() == torch.ScalarType.Bool;
    require(
        isBool || mask.is_floating_point(),
        "only bool and floating types of " + name + " are supported");
    return isBool
        ? torch
            .zeros(mask.shape())
            .to(query.scalar_type())
            .masked_fill(mask, Double.NEGATIVE_INFINITY)
        : mask;
  }

  private Tensor inHeads(Tensor x) {
    return x.unflatten(-1, heads, headSize).permute(batchDim, 2, stepDim, 3);
  }

  private void seeOneMore() {
    mask = mask.defined() ? torch.pad(mask, 0, 1) : mask;
    padding = padding.defined() ? torch.pad(padding, 0, 1) : padding;
  }

  private void checkMask(long targets, long sources) {
    if (!mask.defined()) {
      return;
    }
    long dims = mask.dim();
    require(dims == 2 || dims == 3, "attn_mask's dimension " + dims + " is not supported");
    long[] wanted =
        dims == 2 ? new long[] {targets, sources} : new long[] {batch * heads, targets, sources};
    require(
        java.util.Arrays.equals(mask.shape(), wanted),
        "The shape of the "
            + dims
            + "D attn_mask is "
            + PythonText.size(mask.shape())
            + ", but should be "
            + PythonText.of(wanted)
            + ".");
    mask =
        dims == 2 ? mask.unsqueeze(0).unsqueeze(0) : mask.reshape(batch, heads, targets, sources);
  }

  /** The result and the weights, which are undefined unless they are wanted. */
  Tensor[] run(
      Tensor query,
      Tensor key,
      Tensor value,
      Tensor keyPadding,
      Tensor attentionMask,
      boolean needWeights,
      boolean averageWeights,
      boolean causal) {
    long size = of.options().embed_dim().get();
    require(
        query.size(-1) == size,
        "was expecting embedding dimension of " + size + ", but got " + query.size(-1));
    padding = additive(keyPadding, "key_padding_mask", query);
    require(
        !causal || attentionMask.defined(),
        "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method"
            + " `generate_square_subsequent_mask` to create this mask.");
    boolean hidden = causal && !padding.defined() && !needWeights;
    mask = hidden ? new Tensor() : additive(attentionMask, "attn_mask", query);
    Tensor[] projected = of.projected(query, key, value);
    checkMask(query.size(stepDim), key.size(stepDim));
    Tensor q = inHeads(projected[0]);
    Tensor k = projected[1];
    Tensor v = projected[2];
    if (of.options().add_bias_kv().get()) {
      long[] sizes = batchDim == 0 ? new long[] {batch, 1, size} : new long[] {1, batch, size};
      k = torch.cat(new Tensor[] {k, of.own("bias_k").expand(sizes)}, stepDim);
      v = torch.cat(new Tensor[] {v, of.own("bias_v").expand(sizes)}, stepDim);
      seeOneMore();
    }
    k = inHeads(k);
    v = inHeads(v);
    if (of.options().add_zero_attn().get()) {
      Tensor zero = torch.zeros(batch, heads, 1, headSize).to(k.scalar_type());
      k = torch.cat(new Tensor[] {k, zero}, 2);
      v = torch.cat(new Tensor[] {v, zero}, 2);
      seeOneMore();
    }
    addPadding(k.size(2));
    double dropout = of.is_training() ? of.options().dropout().get() : 0;
    Tensor weights = new Tensor();
    Tensor result;
    if (needWeights) {
      Tensor scores = torch.matmul(q.mul(Math.sqrt(1.0 / headSize)), k.transpose(-2, -1));
      weights = torch.softmax(mask.defined() ? mask.add(scores) : scores, -1);
      weights = dropout > 0 ? torch.dropout(weights, dropout, true) : weights;
      result = torch.matmul(weights, v);
      weights = averageWeights ? weights.mean(1) : weights;
    } else {
      result = torch.scaled_dot_product_attention(q, k, v, mask, dropout, hidden);
    }
    Tensor joined = batchDim == 0 ? result.permute(0, 2, 1, 3) : result.permute(2, 0, 1, 3);
    Tensor output = of.outProjection().forward(joined.reshape(-1, size));
    return new Tensor[] {output.reshape(query.size(0), query.size(1), size), weights};
  }

  private void addPadding(long sources) {
    if (!padding.defined()) {
      return;
    }
    long[] wanted = {batch, sources};
    for (int d = 0; d < 2; d++) {
      require(
          padding.size(d) == wanted[d],
          "Expected key_padded_mask.shape["
              + d
              + "] to be "
              + wanted[d]
              + ", but got "
              + padding.size(d));
    }
    padding = padding.reshape(batch, 1, 1, sources);
    mask = mask.defined() ? mask.add(padding) : padding;
  }
}
