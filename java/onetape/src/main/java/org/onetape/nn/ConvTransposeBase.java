package org.onetape.nn;

import org.onetape.LongArrayRefOptional;
import org.onetape.Tensor;

/** What all transposed convolutions share. */
public abstract class ConvTransposeBase extends ConvBase {
  private final ConvTransposeOptionsBase<?> given;

  ConvTransposeBase(String name, ConvTransposeOptionsBase<?> options, boolean lazy) {
    super(name, options, true, lazy);
    given = options;
    if (!options.padding_mode().equals(new kZeros())) {
      throw new IllegalArgumentException("Only \"zeros\" padding mode is supported for " + name);
    }
  }

  abstract Tensor convolve(Tensor input, long[] outputPadding);

  @Override
  public Tensor forward(Tensor input) {
    see(input);
    return convolve(input, given.outputPadding.get());
  }

  /** The same with a result of the given size, which must be one that a convolution takes here. */
  public Tensor forward(Tensor input, long... outputSize) {
    see(input);
    return convolve(
        input,
        Paddings.ofOutput(
            input,
            outputSize,
            given.stride.get(),
            given.padding.get(),
            given.kernelSize.get(),
            given.dilation.get()));
  }

  /** The same with a result of the given size, if there is one. */
  public Tensor forward(Tensor input, LongArrayRefOptional outputSize) {
    return outputSize.has_value() ? forward(input, outputSize.get().toArray()) : forward(input);
  }

  @Override
  protected String describe() {
    return describe(
        given.padding.isAll(0) ? null : given.padding.toString(),
        given.outputPadding.isAll(0) ? null : given.outputPadding.toString());
  }
}
