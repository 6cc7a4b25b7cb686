package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** A convolution over one dimension, plus a bias. */
public class Conv1dImpl extends ConvBase {
  private final Conv1dOptions options;

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public Conv1dImpl(long inChannels, long outChannels, LongPointer kernelSize) {
    this(new Conv1dOptions(inChannels, outChannels, kernelSize));
  }

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public Conv1dImpl(long inChannels, long outChannels, long... kernelSize) {
    this(new Conv1dOptions(inChannels, outChannels, kernelSize));
  }

  /** A layer as the options say. */
  public Conv1dImpl(Conv1dOptions options) {
    this(options, false);
  }

  Conv1dImpl(Conv1dOptions options, boolean lazy) {
    super("Conv1d", options, false, lazy);
    this.options = options;
    if ("same".equals(options.padding().word()) && !options.stride.isAll(1)) {
      throw new IllegalArgumentException(
          "padding='same' is not supported for strided convolutions");
    }
  }

  @Override
  public Tensor forward(Tensor input) {
    see(input);
    long[] stride = options.stride.get();
    long[] dilation = options.dilation.get();
    long groups = options.groups().get();
    Conv1dPadding padding = options.padding();
    if (!options.padding_mode().equals(new kZeros())) {
      long[] around = Paddings.around(padding, options.kernelSize.get(), dilation);
      Tensor padded = torch.pad(input, around, options.padding_mode().toString());
      long[] none = new long[1];
      return torch.conv1d(padded, own("weight"), own("bias"), stride, none, dilation, groups);
    }
    if (padding.word() != null) {
      return torch.conv1d(
          input, own("weight"), own("bias"), stride, padding.word(), dilation, groups);
    }
    return torch.conv1d(
        input, own("weight"), own("bias"), stride, padding.values(), dilation, groups);
  }

  @Override
  ConvBase withBias() {
    Conv1dOptions other = options.copyTo(new Conv1dOptions(0, 0, options.kernelSize.get()));
    other.padding(options.padding());
    return new Conv1dImpl(other.bias(true));
  }

  /** How the layer was made. */
  public Conv1dOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return describe(options.padding().isZero() ? null : options.padding().toString(), null);
  }
}
