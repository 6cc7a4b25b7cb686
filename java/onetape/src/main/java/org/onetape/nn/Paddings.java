package org.onetape.nn;

import java.util.Arrays;
import org.onetape.LongOptional;
import org.onetape.Tensor;

/** Numbers of padding that follow from others. */
final class Paddings {
  private Paddings() {}

  /** How much a padding puts before and after, for the last dimension first. */
  static long[] around(ConvPadding padding, long[] kernel, long[] dilation) {
    int dims = kernel.length;
    long[] around = new long[2 * dims];
    if ("valid".equals(padding.word())) {
      return around;
    }
    for (int d = 0; d < dims; d++) {
      long total = padding.word() == null ? 2 * padding.values()[d] : dilation[d] * (kernel[d] - 1);
      around[2 * (dims - 1 - d)] = total / 2;
      around[2 * (dims - 1 - d) + 1] = total - total / 2;
    }
    return around;
  }

  /** The padding of a transposed convolution's result that gives it the wanted size. */
  static long[] ofOutput(
      Tensor input, long[] wanted, long[] stride, long[] padding, long[] kernel, long[] dilation) {
    int dims = kernel.length;
    int lead = input.dim() == dims + 2 ? 2 : 1;
    long[] sizes =
        wanted.length == lead + dims ? Arrays.copyOfRange(wanted, lead, wanted.length) : wanted;
    if (sizes.length != dims) {
      throw new IllegalArgumentException(
          String.format(
              "ConvTranspose%dD: for %dD input, output_size must have %d or %d elements (got %d)",
              dims, input.dim(), dims, lead + dims, sizes.length));
    }
    long[] least = new long[dims];
    long[] most = new long[dims];
    long[] more = new long[dims];
    boolean fits = true;
    for (int d = 0; d < dims; d++) {
      least[d] =
          (input.size(d + lead) - 1) * stride[d]
              - 2 * padding[d]
              + dilation[d] * (kernel[d] - 1)
              + 1;
      most[d] = least[d] + stride[d] - 1;
      more[d] = sizes[d] - least[d];
      fits = fits && sizes[d] >= least[d] && sizes[d] <= most[d];
    }
    if (!fits) {
      long[] space = Arrays.copyOfRange(input.shape(), 2, (int) input.dim());
      throw new IllegalArgumentException(
          "requested an output size of "
              + Arrays.toString(sizes)
              + ", but valid sizes range from "
              + Arrays.toString(least)
              + " to "
              + Arrays.toString(most)
              + " (for an input of "
              + PythonText.size(space)
              + ")");
    }
    return more;
  }

  /** As many sizes as dimensions; a single one stands for all. */
  static LongOptional[] all(int dims, LongOptional... sizes) {
    if (sizes.length != 1 && sizes.length != dims) {
      throw new IllegalArgumentException(
          "Expected " + dims + " values, but instead got " + sizes.length);
    }
    LongOptional[] all = new LongOptional[dims];
    Arrays.setAll(all, d -> new LongOptional(sizes[sizes.length == 1 ? 0 : d]));
    return all;
  }

  /** The sizes, with those of the input's last dimensions where there are none. */
  static long[] filledIn(LongOptional[] sizes, Tensor input) {
    long[] filled = new long[sizes.length];
    if (input.dim() <= sizes.length) {
      throw new IllegalArgumentException(
          "Input dimension should be at least " + (sizes.length + 1));
    }
    for (int d = 0; d < filled.length; d++) {
      filled[d] = sizes[d].has_value() ? sizes[d].get() : input.size(d - filled.length);
    }
    return filled;
  }

  /** As PyTorch shows sizes: one number where all are the same. */
  static String text(LongOptional[] sizes) {
    String[] texts = new String[sizes.length];
    boolean same = true;
    for (int d = 0; d < texts.length; d++) {
      texts[d] = sizes[d].has_value() ? Long.toString(sizes[d].get()) : "None";
      same = same && texts[d].equals(texts[0]) && sizes[d].has_value();
    }
    return same ? texts[0] : "(" + String.join(", ", texts) + ")";
  }
}
