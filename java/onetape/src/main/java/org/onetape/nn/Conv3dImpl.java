package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** A convolution over three dimensions, plus a bias. */
public class Conv3dImpl extends ConvBase {
  private final Conv3dOptions options;

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public Conv3dImpl(long inChannels, long outChannels, LongPointer kernelSize) {
    this(new Conv3dOptions(inChannels, outChannels, kernelSize));
  }

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public Conv3dImpl(long inChannels, long outChannels, long... kernelSize) {
    this(new Conv3dOptions(inChannels, outChannels, kernelSize));
  }

  /** A layer as the options say. */
  public Conv3dImpl(Conv3dOptions options) {
    this(options, false);
  }

  Conv3dImpl(Conv3dOptions options, boolean lazy) {
    super("Conv3d", options, false, lazy);
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
    Conv3dPadding padding = options.padding();
    if (!options.padding_mode().equals(new kZeros())) {
      long[] around = Paddings.around(padding, options.kernelSize.get(), dilation);
      Tensor padded = torch.pad(input, around, options.padding_mode().toString());
      long[] none = new long[3];
      return torch.conv3d(padded, own("weight"), own("bias"), stride, none, dilation, groups);
    }
    if (padding.word() != null) {
      return torch.conv3d(
          input, own("weight"), own("bias"), stride, padding.word(), dilation, groups);
    }
    return torch.conv3d(
        input, own("weight"), own("bias"), stride, padding.values(), dilation, groups);
  }

  @Override
  ConvBase withBias() {
    Conv3dOptions other = options.copyTo(new Conv3dOptions(0, 0, options.kernelSize.get()));
    other.padding(options.padding());
    return new Conv3dImpl(other.bias(true));
  }

  /** How the layer was made. */
  public Conv3dOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return describe(options.padding().isZero() ? null : options.padding().toString(), null);
  }
}
