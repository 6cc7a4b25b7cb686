package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.LongVector;
import org.onetape.Tensor;
import org.onetape.TensorOptional;
import org.onetape.global.torch;
import org.onetape.internal.Init;

/** Scales the last dimensions to a mean square of 1, then by a weight. */
public class RMSNormImpl extends Module {
  private final RMSNormOptions options;

  /** Over the last dimensions, which have the given sizes. */
  public RMSNormImpl(LongVector normalizedShape) {
    this(new RMSNormOptions(normalizedShape));
  }

  /** Over the last dimensions, which have the given sizes. */
  public RMSNormImpl(long... normalizedShape) {
    this(new RMSNormOptions(normalizedShape));
  }

  /** A layer as the options say. */
  public RMSNormImpl(RMSNormOptions options) {
    super("RMSNorm");
    this.options = options;
    if (options.elementwise_affine().get()) {
      register_parameter("weight", torch.empty(options.normalized_shape().get()));
      reset_parameters();
    }
  }

  /** Sets the weight to one. */
  public final void reset_parameters() {
    if (options.elementwise_affine().get()) {
      Init.constant(own("weight"), 1);
    }
  }

  @Override
  public Tensor forward(Tensor input) {
    boolean affine = options.elementwise_affine().get();
    try (GraphRecording.Call call = entered()) {
      return torch.rms_norm(
          input,
          options.normalized_shape().get(),
          affine ? new TensorOptional(own("weight")) : new TensorOptional(),
          options.eps());
    }
  }

  /** The weight; undefined if there is none. */
  public Tensor weight() {
    return options.elementwise_affine().get() ? parameter("weight") : new Tensor();
  }

  /** How the layer was made. */
  public RMSNormOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return PythonText.of(options.normalized_shape().get())
        + ", eps="
        + (options.eps().has_value() ? PythonText.of(options.eps().get()) : "None")
        + ", elementwise_affine="
        + PythonText.of(options.elementwise_affine().get());
  }
}
