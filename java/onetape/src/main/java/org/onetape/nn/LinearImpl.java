package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;
import org.onetape.internal.Init;

/** A linear layer: {@code x · weightᵀ + bias}. */
public class LinearImpl extends Module {
  private final LinearOptions options;

  /** A layer from vectors of one size to vectors of another, with a bias. */
  public LinearImpl(long inFeatures, long outFeatures) {
    this(new LinearOptions(inFeatures, outFeatures));
  }

  /** A layer as the options say. */
  public LinearImpl(LinearOptions options) {
    this("Linear", options);
  }

  LinearImpl(String name, LinearOptions options) {
    super(name);
    this.options = options;
    long in = options.in_features().get();
    long out = options.out_features().get();
    register_parameter("weight", torch.empty(out, in));
    if (options.bias().get()) {
      register_parameter("bias", torch.empty(out));
    }
    reset_parameters();
  }

  /** A layer that waits for its first input. */
  LinearImpl(LinearOptions options, String laterName) {
    super("Lazy" + laterName);
    this.options = options.in_features(0);
    register_uninitialized_parameter("weight");
    if (options.bias().get()) {
      register_uninitialized_parameter("bias");
    }
    waitForInput(laterName);
  }

  @Override
  final void initialize(Tensor input) {
    long in = input.size(-1);
    long out = options.out_features().get();
    if (has_uninitialized_params()) {
      options.in_features(in);
      materialize("weight", out, in);
      materialize("bias", out);
      reset_parameters();
    }
    long loaded = own("weight").size(-1);
    if (loaded != in) {
      throw new IllegalArgumentException(
          "The in_features inferred from input: "
              + in
              + " is not equal to in_features from self.weight: "
              + loaded);
    }
    options.in_features(in);
  }

  /** Draws new values for the parameters. */
  public final void reset_parameters() {
    Init.kaimingUniform(own("weight"), Math.sqrt(5));
    if (options.bias().get()) {
      long in = options.in_features().get();
      double bound = in > 0 ? 1 / Math.sqrt(in) : 0;
      Init.uniform(own("bias"), -bound, bound);
    }
  }

  @Override
  public Tensor forward(Tensor input) {
    see(input);
    try (GraphRecording.Call call = entered()) {
      return torch.linear(input, own("weight"), own("bias"));
    }
  }

  /** The weight, of size (out, in). */
  public Tensor weight() {
    return parameter("weight");
  }

  /** Puts another tensor in the place of the weight; returns this. */
  public LinearImpl weight(Tensor weight) {
    parameter("weight", weight);
    return this;
  }

  /** The bias, of size (out); undefined if there is none. */
  public Tensor bias() {
    return options.bias().get() ? parameter("bias") : new Tensor();
  }

  /** Puts another tensor in the place of the bias; returns this. */
  public LinearImpl bias(Tensor bias) {
    parameter("bias", bias);
    options.bias(bias.defined());
    return this;
  }

  /** How the layer was made. */
  public LinearOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "in_features="
        + options.in_features().get()
        + ", out_features="
        + options.out_features().get()
        + ", bias="
        + PythonText.of(options.bias().get());
  }
}
