package org.onetape.nn;

import org.onetape.LongArrayRefOptional;
import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** A transposed convolution over three dimensions, plus a bias. */
public class ConvTranspose3dImpl extends ConvBase {
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
    super("ConvTranspose3d", options, true);
    this.options = options;
    if (!options.padding_mode().equals(new kZeros())) {
      throw new IllegalArgumentException(
          "Only \"zeros\" padding mode is supported for ConvTranspose3d");
    }
  }

  @Override
  public Tensor forward(Tensor input) {
    return convolve(input, options.outputPadding.get());
  }

  /** The same with a result of the given size, which must be one that a convolution takes here. */
  public Tensor forward(Tensor input, long... outputSize) {
    return convolve(
        input,
        Paddings.ofOutput(
            input,
            outputSize,
            options.stride.get(),
            options.padding.get(),
            options.kernelSize.get(),
            options.dilation.get()));
  }

  /** The same with a result of the given size, if there is one. */
  public Tensor forward(Tensor input, LongArrayRefOptional outputSize) {
    return outputSize.has_value() ? forward(input, outputSize.get().toArray()) : forward(input);
  }

  private Tensor convolve(Tensor input, long[] outputPadding) {
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

  /** How the layer was made. */
  public ConvTranspose3dOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return describe(
        options.padding.isAll(0) ? null : options.padding.toString(),
        options.outputPadding.isAll(0) ? null : options.outputPadding.toString());
  }
}
