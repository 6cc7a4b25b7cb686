package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch;
import org.onetape.internal.Init;

/** Attention of several heads, each over its share of the features. */
public class MultiheadAttentionImpl extends Module {
  private final MultiheadAttentionOptions options;
  private final boolean shared;

  /** So many heads over so many features. */
  public MultiheadAttentionImpl(long embedDim, long numHeads) {
    this(new MultiheadAttentionOptions(embedDim, numHeads));
  }

  /** A layer as the options say. */
  public MultiheadAttentionImpl(MultiheadAttentionOptions options) {
    super("MultiheadAttention");
    this.options = options;
    long size = options.embed_dim().get();
    long heads = options.num_heads().get();
    if (size <= 0 || heads <= 0) {
      throw new IllegalArgumentException(
          "embed_dim and num_heads must be greater than 0, got embed_dim="
              + size
              + " and num_heads="
              + heads
              + " instead");
    }
    if (size % heads != 0) {
      throw new TorchException("embed_dim must be divisible by num_heads");
    }
    long ofKey = options.kdim().get() == 0 ? size : options.kdim().get();
    long ofValue = options.vdim().get() == 0 ? size : options.vdim().get();
    shared = ofKey == size && ofValue == size;
    if (shared) {
      register_parameter("in_proj_weight", torch.empty(3 * size, size));
    } else {
      register_parameter("q_proj_weight", torch.empty(size, size));
      register_parameter("k_proj_weight", torch.empty(size, ofKey));
      register_parameter("v_proj_weight", torch.empty(size, ofValue));
    }
    if (options.bias().get()) {
      register_parameter("in_proj_bias", torch.empty(3 * size));
    }
    register_module("out_proj", new OutProjection(size, options.bias().get()));
    if (options.add_bias_kv().get()) {
      register_parameter("bias_k", torch.empty(1, 1, size));
      register_parameter("bias_v", torch.empty(1, 1, size));
    }
    _reset_parameters();
  }

  /** A linear layer under the name that PyTorch prints for it. */
  private static final class OutProjection extends LinearImpl {
    OutProjection(long size, boolean bias) {
      super("NonDynamicallyQuantizableLinear", new LinearOptions(size, size).bias(bias));
    }
  }

  /** Draws new values for the parameters but for the result's weight. */
  public final void _reset_parameters() {
    for (String name : weightNames()) {
      Init.xavierUniform(own(name), 1);
    }
    if (options.bias().get()) {
      Init.constant(own("in_proj_bias"), 0);
      Init.constant(outProjection().own("bias"), 0);
    }
    if (options.add_bias_kv().get()) {
      Init.xavierNormal(own("bias_k"), 1);
      Init.xavierNormal(own("bias_v"), 1);
    }
  }

  private String[] weightNames() {
    return shared
        ? new String[] {"in_proj_weight"}
        : new String[] {"q_proj_weight", "k_proj_weight", "v_proj_weight"};
  }

  final LinearImpl outProjection() {
    return (LinearImpl) childMap().get("out_proj");
  }

  /** Query, key and value after their linear maps. */
  final Tensor[] projected(Tensor query, Tensor key, Tensor value) {
    long size = options.embed_dim().get();
    Tensor bias = options.bias().get() ? own("in_proj_bias") : new Tensor();
    Tensor[] weights = new Tensor[3];
    Tensor[] biases = new Tensor[3];
    for (int i = 0; i < 3; i++) {
      weights[i] = shared ? own("in_proj_weight").narrow(0, i * size, size) : own(weightNames()[i]);
      biases[i] = bias.defined() ? bias.narrow(0, i * size, size) : bias;
    }
    if (shared && query.equals(key) && key.equals(value)) {
      Tensor all = torch.linear(query, own("in_proj_weight"), bias);
      return new Tensor[] {
        all.narrow(-1, 0, size), all.narrow(-1, size, size), all.narrow(-1, 2 * size, size)
      };
    }
    return new Tensor[] {
      torch.linear(query, weights[0], biases[0]),
      torch.linear(key, weights[1], biases[1]),
      torch.linear(value, weights[2], biases[2])
    };
  }

  /** The result alone. */
  @Override
  public Tensor forward(Tensor query, Tensor key, Tensor value) {
    return attend(query, key, value, new Tensor(), false, new Tensor(), true, false).get0();
  }

  /** The result and the weights, averaged over the heads. */
  public T_TensorTensor_T forwardT_TensorTensor_T(Tensor query, Tensor key, Tensor value) {
    return forward(query, key, value, new Tensor(), true, new Tensor(), true);
  }

  /**
   * The result and the weights.
   *
   * @param keyPaddingMask (batch, steps of key), true where a key is not to be seen; undefined for
   *     none
   * @param needWeights whether the weights are wanted; else they are undefined
   * @param mask (steps of query, steps of key), or one a sequence and head, true where a query is
   *     not to see a key; undefined for none
   * @param averageWeights whether the weights are averaged over the heads
   */
  public T_TensorTensor_T forward(
      Tensor query,
      Tensor key,
      Tensor value,
      Tensor keyPaddingMask,
      boolean needWeights,
      Tensor mask,
      boolean averageWeights) {
    return attend(query, key, value, keyPaddingMask, needWeights, mask, averageWeights, false);
  }

  /** The same, under JavaCPP's name. */
  public T_TensorTensor_T forwardT_TensorTensor_T(
      Tensor query,
      Tensor key,
      Tensor value,
      Tensor keyPaddingMask,
      boolean needWeights,
      Tensor mask,
      boolean averageWeights) {
    return forward(query, key, value, keyPaddingMask, needWeights, mask, averageWeights);
  }

  private static void checkDims(Tensor query, Tensor key, Tensor value, Tensor padding) {
    long dims = query.dim();
    if (dims != 2 && dims != 3) {
      throw new TorchException(
          "query should be unbatched 2D or batched 3D tensor but received "
              + dims
              + "-D query tensor");
    }
    String kind = dims == 3 ? "For batched (3-D) `query`, " : "For unbatched (2-D) `query`, ";
    if (key.dim() != dims || value.dim() != dims) {
      throw new TorchException(
          kind
              + "expected `key` and `value` to be "
              + dims
              + "-D but found "
              + key.dim()
              + "-D and "
              + value.dim()
              + "-D tensors respectively");
    }
    if (padding.defined() && padding.dim() != dims - 1) {
      throw new TorchException(
          kind
              + "expected `key_padding_mask` to be `None` or "
              + (dims - 1)
              + "-D but found "
              + padding.dim()
              + "-D tensor instead");
    }
  }

  /** The whole call; {@code causal} says that the mask is. */
  final T_TensorTensor_T attend(
      Tensor query,
      Tensor key,
      Tensor value,
      Tensor padding,
      boolean needWeights,
      Tensor mask,
      boolean averageWeights,
      boolean causal) {
    try (GraphRecording.Call call = entered()) {
      checkDims(query, key, value, padding);
      boolean batched = query.dim() == 3;
      Tensor q = batched ? query : query.unsqueeze(1);
      Tensor k = batched ? key : key.equals(query) ? q : key.unsqueeze(1);
      Tensor v = batched ? value : value.equals(key) ? k : value.unsqueeze(1);
      Tensor p = batched || !padding.defined() ? padding : padding.unsqueeze(0);
      Attention one = new Attention(this, q, batched && options.batch_first().get());
      Tensor[] found = one.run(q, k, v, p, mask, needWeights, averageWeights, causal);
      if (!batched) {
        found[0] = found[0].squeeze(1);
        found[1] = found[1].defined() ? found[1].squeeze(0) : found[1];
      }
      return new T_TensorTensor_T(found[0], found[1]);
    }
  }

  /** The weights of query, key and value in one; undefined if they are apart. */
  public Tensor in_proj_weight() {
    return shared ? parameter("in_proj_weight") : new Tensor();
  }

  /** The biases of query, key and value in one; undefined if there are none. */
  public Tensor in_proj_bias() {
    return options.bias().get() ? parameter("in_proj_bias") : new Tensor();
  }

  /** The linear map of the result. */
  public LinearImpl out_proj() {
    return outProjection();
  }

  /** How the layer was made. */
  public MultiheadAttentionOptions options() {
    return options;
  }
}
