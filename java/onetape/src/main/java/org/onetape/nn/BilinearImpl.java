package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;
import org.onetape.internal.Init;

/** {@code x · weight[o] · y + bias[o]} for every o, with x and y from two inputs. */
public class BilinearImpl extends Module {
  private final BilinearOptions options;

  /** From features of two sizes to those of a third. */
  public BilinearImpl(long in1Features, long in2Features, long outFeatures) {
    this(new BilinearOptions(in1Features, in2Features, outFeatures));
  }

  /** A layer as the options say. */
  public BilinearImpl(BilinearOptions options) {
    super("Bilinear");
    this.options = options;
    long first = options.in1_features().get();
    if (first <= 0) {
      throw new IllegalArgumentException(
          "in1_features must be > 0, but got (in1_features=" + first + ")");
    }
    long out = options.out_features().get();
    register_parameter("weight", torch.empty(out, first, options.in2_features().get()));
    if (options.bias().get()) {
      register_parameter("bias", torch.empty(out));
    }
    reset_parameters();
  }

  /** Draws new values for the parameters. */
  public final void reset_parameters() {
    double bound = 1 / Math.sqrt(options.in1_features().get());
    Init.uniform(own("weight"), -bound, bound);
    if (options.bias().get()) {
      Init.uniform(own("bias"), -bound, bound);
    }
  }

  /** The result for two inputs. */
  @Override
  public Tensor forward(Tensor input1, Tensor input2) {
    try (GraphRecording.Call call = entered()) {
      return torch.bilinear(input1, input2, own("weight"), bias());
    }
  }

  /** The weight. */
  public Tensor weight() {
    return parameter("weight");
  }

  /** The bias; undefined if there is none. */
  public Tensor bias() {
    return options.bias().get() ? parameter("bias") : new Tensor();
  }

  /** How the layer was made. */
  public BilinearOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "in1_features="
        + options.in1_features().get()
        + ", in2_features="
        + options.in2_features().get()
        + ", out_features="
        + options.out_features().get()
        + ", bias="
        + PythonText.of(options.bias().get());
  }
}
