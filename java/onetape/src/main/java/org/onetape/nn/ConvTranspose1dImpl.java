package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** A transposed convolution over one dimension, plus a bias. */
public class ConvTranspose1dImpl extends ConvTransposeBase {
  private final ConvTranspose1dOptions options;

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public ConvTranspose1dImpl(long inChannels, long outChannels, LongPointer kernelSize) {
    this(new ConvTranspose1dOptions(inChannels, outChannels, kernelSize));
  }

  /** From so many channels to so many, by a kernel of this size: a number, or one a dimension. */
  public ConvTranspose1dImpl(long inChannels, long outChannels, long... kernelSize) {
    this(new ConvTranspose1dOptions(inChannels, outChannels, kernelSize));
  }

  /** A layer as the options say. */
  public ConvTranspose1dImpl(ConvTranspose1dOptions options) {
    this(options, false);
  }

  ConvTranspose1dImpl(ConvTranspose1dOptions options, boolean lazy) {
    super("ConvTranspose1d", options, lazy);
    this.options = options;
  }

  @Override
  Tensor convolve(Tensor input, long[] outputPadding) {
    return torch.conv_transpose1d(
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
    ConvTranspose1dOptions other = options.copyTo(new ConvTranspose1dOptions(0, 0, kernel));
    other.padding(options.padding.get()).output_padding(options.outputPadding.get());
    return new ConvTranspose1dImpl(other.bias(true));
  }

  /** How the layer was made. */
  public ConvTranspose1dOptions options() {
    return options;
  }
}
