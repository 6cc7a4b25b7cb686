package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.LongVector;
import org.onetape.Tensor;
import org.onetape.global.torch;
import org.onetape.internal.Init;

/** Shifts and scales the last dimensions to mean 0 and variance 1, then by a weight and a bias. */
public class LayerNormImpl extends Module {
  private final LayerNormOptions options;

  /** Over the last dimensions, which have the given sizes. */
  public LayerNormImpl(LongVector normalizedShape) {
    this(new LayerNormOptions(normalizedShape));
  }

  /** Over the last dimensions, which have the given sizes. */
  public LayerNormImpl(long... normalizedShape) {
    this(new LayerNormOptions(normalizedShape));
  }

  /** A layer as the options say. */
  public LayerNormImpl(LayerNormOptions options) {
    super("LayerNorm");
    this.options = options;
    if (options.elementwise_affine().get()) {
      long[] sizes = options.normalized_shape().get();
      register_parameter("weight", torch.empty(sizes));
      register_parameter("bias", torch.empty(sizes));
      reset_parameters();
    }
  }

  /** Sets the weight to one and the bias to zero. */
  public final void reset_parameters() {
    if (options.elementwise_affine().get()) {
      Init.constant(own("weight"), 1);
      Init.constant(own("bias"), 0);
    }
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.layer_norm(
          input, options.normalized_shape().get(), own("weight"), own("bias"), options.eps().get());
    }
  }

  /** The weight; undefined if there is none. */
  public Tensor weight() {
    return options.elementwise_affine().get() ? parameter("weight") : new Tensor();
  }

  /** The bias; undefined if there is none. */
  public Tensor bias() {
    return options.elementwise_affine().get() ? parameter("bias") : new Tensor();
  }

  /** How the layer was made. */
  public LayerNormOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    String sizes = options.normalized_shape().toString();
    return "("
        + sizes.substring(1, sizes.length() - 1)
        + (options.normalized_shape().size() == 1 ? ",)" : ")")
        + ", eps="
        + PythonText.of(options.eps().get())
        + ", elementwise_affine="
        + PythonText.of(options.elementwise_affine().get())
        + ", bias="
        + PythonText.of(options.elementwise_affine().get());
  }
}
