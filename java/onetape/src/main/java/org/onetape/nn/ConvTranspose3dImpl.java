package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** A transposed convolution over three dimensions, plus a bias. */
public class ConvTranspose3dImpl extends ConvTransposeBase {
  private final ConvTranspose3dOptions options;

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public ConvTranspose3dImpl(long inChannels, long outChannels, LongPointer kernelSize) {
    this(new ConvTranspose3dOptions(inChannels, outChannels, kernelSize));
  }

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public ConvTranspose3dImpl(long inChannels, long outChannels, long... kernelSize) {
    this(new ConvTranspose3dOptions(inChannels, outChannels, kernelSize));
  }

  /** A layer as the options say. */
  public ConvTranspose3dImpl(ConvTranspose3dOptions options) {
    this(options, false);
  }

  ConvTranspose3dImpl(ConvTranspose3dOptions options, boolean lazy) {
    super("ConvTranspose3d", options, lazy);
    this.options = options;
  }

  @Override
  Tensor convolve(Tensor input, long[] outputPadding) {
    return torch.conv_transpose3d(
        input,
        own("weight"),
        own("bias"),
        options.stride.get(),
        options.padding.get(),
        outputPadding,
        options.groups().get(),
        options.dilation.get());
  }

  @Override
  ConvBase withBias() {
    long[] kernel = options.kernelSize.get();
    ConvTranspose3dOptions other = options.copyTo(new ConvTranspose3dOptions(0, 0, kernel));
    other.padding(options.padding.get()).output_padding(options.outputPadding.get());
    return new ConvTranspose3dImpl(other.bias(true));
  }

  /** How the layer was made. */
  public ConvTranspose3dOptions options() {
    return options;
  }
}
