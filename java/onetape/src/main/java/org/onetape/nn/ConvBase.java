package org.onetape.nn;

import java.util.Arrays;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch;
import org.onetape.internal.Init;

/** What all convolutions share: the parameters. */
public abstract class ConvBase extends Module {
  private final ConvOptionsBase<?> given;
  private final boolean transposed;

  ConvBase(String name, ConvOptionsBase<?> options, boolean transposed, boolean lazy) {
    super(lazy ? "Lazy" + name : name);
    given = lazy ? options.in_channels(0) : options;
    this.transposed = transposed;
    check(options);
    if (lazy) {
      register_uninitialized_parameter("weight");
      if (options.bias().get()) {
        register_uninitialized_parameter("bias");
      }
      waitForInput(name);
      return;
    }
    register_parameter("weight", torch.empty(sizes()));
    if (options.bias().get()) {
      register_parameter("bias", torch.empty(options.out_channels().get()));
    }
    reset_parameters();
  }

  private long[] sizes() {
    long in = given.in_channels().get();
    long out = given.out_channels().get();
    long[] sizes = new long[2 + given.dims];
    sizes[0] = transposed ? in : out;
    sizes[1] = (transposed ? out : in) / given.groups().get();
    System.arraycopy(given.kernelSize.get(), 0, sizes, 2, given.dims);
    return sizes;
  }

  @Override
  final void initialize(Tensor input) {
    if (!has_uninitialized_params()) {
      return;
    }
    int single = given.dims + 1;
    if (input.dim() != single && input.dim() != single + 1) {
      throw new TorchException(
          String.format(
              "Expected %dD (unbatched) or %dD (batched) input to %s, but got input of size:"
                  + " torch.Size(%s)",
              single, single + 1, name(), Arrays.toString(input.shape())));
    }
    given.in_channels(input.size(input.dim() == single ? 0 : 1));
    check(given);
    materialize("weight", sizes());
    materialize("bias", given.out_channels().get());
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

  /** A layer of the same options, but with a bias. */
  abstract ConvBase withBias();

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
