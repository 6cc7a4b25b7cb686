package org.onetape.nn;

import org.onetape.Tensor;
import org.onetape.global.torch;
import org.onetape.internal.Init;

/** What all convolutions share: the parameters. */
public abstract class ConvBase extends Module {
  private final ConvOptionsBase<?> given;

  ConvBase(String name, ConvOptionsBase<?> options, boolean transposed) {
    super(name);
    given = options;
    check(options);
    long groups = options.groups().get();
    long in = options.in_channels().get();
    long out = options.out_channels().get();
    long[] sizes = new long[2 + options.dims];
    sizes[0] = transposed ? in : out;
    sizes[1] = (transposed ? out : in) / groups;
    System.arraycopy(options.kernelSize.get(), 0, sizes, 2, options.dims);
    register_parameter("weight", torch.empty(sizes));
    if (options.bias().get()) {
      register_parameter("bias", torch.empty(out));
    }
    reset_parameters();
  }

  private static void check(ConvOptionsBase<?> options) {
    long groups = options.groups().get();
    if (groups <= 0) {
      throw new IllegalArgumentException("groups must be a positive integer");
    }
    if (options.in_channels().get() % groups != 0) {
      throw new IllegalArgumentException("in_channels must be divisible by groups");
    }
    if (options.out_channels().get() % groups != 0) {
      throw new IllegalArgumentException("out_channels must be divisible by groups");
    }
  }

  /** Draws new values for the parameters. */
  public final void reset_parameters() {
    Tensor weight = own("weight");
    Init.kaimingUniform(weight, Math.sqrt(5));
    if (given.bias().get()) {
      long fanIn = Init.fanIn(weight);
      if (fanIn > 0) {
        double bound = 1 / Math.sqrt(fanIn);
        Init.uniform(own("bias"), -bound, bound);
      }
    }
  }

  /** The weight. */
  public Tensor weight() {
    return parameter("weight");
  }

  /** The bias; undefined if there is none. */
  public Tensor bias() {
    return given.bias().get() ? parameter("bias") : new Tensor();
  }

  /**
   * How PyTorch shows the options; padding and the padding of the result come from the subclass.
   */
  final String describe(String padding, String outputPadding) {
    StringBuilder text = new StringBuilder();
    text.append(given.in_channels().get()).append(", ").append(given.out_channels().get());
    text.append(", kernel_size=").append(given.kernelSize);
    text.append(", stride=").append(given.stride);
    if (padding != null) {
      text.append(", padding=").append(padding);
    }
    if (!given.dilation.isAll(1)) {
      text.append(", dilation=").append(given.dilation);
    }
    if (outputPadding != null) {
      text.append(", output_padding=").append(outputPadding);
    }
    if (given.groups().get() != 1) {
      text.append(", groups=").append(given.groups().get());
    }
    if (!given.bias().get()) {
      text.append(", bias=False");
    }
    if (!given.padding_mode().equals(new kZeros())) {
      text.append(", padding_mode=").append(given.padding_mode());
    }
    return text.toString();
  }
}
