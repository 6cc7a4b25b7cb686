package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** A transposed convolution over two dimensions, plus a bias. */
public class ConvTranspose2dImpl extends ConvTransposeBase {
  private final ConvTranspose2dOptions options;

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public ConvTranspose2dImpl(long inChannels, long outChannels, LongPointer kernelSize) {
    this(new ConvTranspose2dOptions(inChannels, outChannels, kernelSize));
  }

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public ConvTranspose2dImpl(long inChannels, long outChannels, long... kernelSize) {
    this(new ConvTranspose2dOptions(inChannels, outChannels, kernelSize));
  }

  /** A layer as the options say. */
  public ConvTranspose2dImpl(ConvTranspose2dOptions options) {
    this(options, false);
  }

  ConvTranspose2dImpl(ConvTranspose2dOptions options, boolean lazy) {
    super("ConvTranspose2d", options, lazy);
    this.options = options;
  }

  @Override
  Tensor convolve(Tensor input, long[] outputPadding) {
    return torch.conv_transpose2d(
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
    ConvTranspose2dOptions other = options.copyTo(new ConvTranspose2dOptions(0, 0, kernel));
    other.padding(options.padding.get()).output_padding(options.outputPadding.get());
    return new ConvTranspose2dImpl(other.bias(true));
  }

  /** How the layer was made. */
  public ConvTranspose2dOptions options() {
    return options;
  }
}
