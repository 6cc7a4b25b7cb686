package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** A convolution over two dimensions, plus a bias. */
public class Conv2dImpl extends ConvBase {
  private final Conv2dOptions options;

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public Conv2dImpl(long inChannels, long outChannels, LongPointer kernelSize) {
    this(new Conv2dOptions(inChannels, outChannels, kernelSize));
  }

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public Conv2dImpl(long inChannels, long outChannels, long... kernelSize) {
    this(new Conv2dOptions(inChannels, outChannels, kernelSize));
  }

  /** A layer as the options say. */
  public Conv2dImpl(Conv2dOptions options) {
    this(options, false);
  }

  Conv2dImpl(Conv2dOptions options, boolean lazy) {
    super("Conv2d", options, false, lazy);
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
    Conv2dPadding padding = options.padding();
    if (!options.padding_mode().equals(new kZeros())) {
      long[] around = Paddings.around(padding, options.kernelSize.get(), dilation);
      Tensor padded = torch.pad(input, around, options.padding_mode().toString());
      long[] none = new long[2];
      return torch.conv2d(padded, own("weight"), own("bias"), stride, none, dilation, groups);
    }
    if (padding.word() != null) {
      return torch.conv2d(
          input, own("weight"), own("bias"), stride, padding.word(), dilation, groups);
    }
    return torch.conv2d(
        input, own("weight"), own("bias"), stride, padding.values(), dilation, groups);
  }

  @Override
  ConvBase withBias() {
    Conv2dOptions other = options.copyTo(new Conv2dOptions(0, 0, options.kernelSize.get()));
    other.padding(options.padding());
    return new Conv2dImpl(other.bias(true));
  }

  /** How the layer was made. */
  public Conv2dOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return describe(options.padding().isZero() ? null : options.padding().toString(), null);
  }
}
