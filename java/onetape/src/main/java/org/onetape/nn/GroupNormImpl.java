package org.onetape.nn;

import org.onetape.Tensor;
import org.onetape.global.torch;
import org.onetape.internal.Init;

/** Brings each group of channels of each sample to mean 0 and variance 1, then scales and moves. */
public class GroupNormImpl extends Module {
  private final GroupNormOptions options;

  /** So many groups of so many channels in all. */
  public GroupNormImpl(long numGroups, long numChannels) {
    this(new GroupNormOptions(numGroups, numChannels));
  }

  /** A layer as the options say. */
  public GroupNormImpl(GroupNormOptions options) {
    super("GroupNorm");
    this.options = options;
    long groups = options.num_groups().get();
    long channels = options.num_channels().get();
    if (groups <= 0 || channels % groups != 0) {
      throw new IllegalArgumentException(
          "num_channels (" + channels + ") must be divisible by num_groups (" + groups + ")");
    }
    if (options.affine().get()) {
      register_parameter("weight", torch.empty(channels));
      register_parameter("bias", torch.empty(channels));
      reset_parameters();
    }
  }

  /** Sets the weight to one and the bias to zero. */
  public final void reset_parameters() {
    if (options.affine().get()) {
      Init.constant(own("weight"), 1);
      Init.constant(own("bias"), 0);
    }
  }

  @Override
  public Tensor forward(Tensor input) {
    return torch.group_norm(
        input, options.num_groups().get(), own("weight"), own("bias"), options.eps().get());
  }

  /** The weight; undefined if there is none. */
  public Tensor weight() {
    return options.affine().get() ? parameter("weight") : new Tensor();
  }

  /** The bias; undefined if there is none. */
  public Tensor bias() {
    return options.affine().get() ? parameter("bias") : new Tensor();
  }

  /** How the layer was made. */
  public GroupNormOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return options.num_groups().get()
        + ", "
        + options.num_channels().get()
        + ", eps="
        + PythonText.of(options.eps().get())
        + ", affine="
        + PythonText.of(options.affine().get())
        + ", bias="
        + PythonText.of(options.affine().get());
  }
}
