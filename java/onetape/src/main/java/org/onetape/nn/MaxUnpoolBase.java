package org.onetape.nn;

import java.util.Arrays;
import org.onetape.GraphRecording;
import org.onetape.LongVectorOptional;
import org.onetape.Tensor;

/** What layers share that put the elements of max pooling back to their places. */
public abstract class MaxUnpoolBase extends Module {
  private final MaxUnpoolOptionsBase<?> options;

  MaxUnpoolBase(String name, MaxUnpoolOptionsBase<?> options) {
    super(name);
    this.options = options;
  }

  abstract Tensor unpooled(Tensor input, Tensor indices, long[] sizes);

  /** The elements at the places that max pooling gave, among zeros. */
  @Override
  public Tensor forward(Tensor input, Tensor indices) {
    return forward(input, indices, new LongVectorOptional());
  }

  /** The same, for a result of the given sizes, as the input of the pooling had. */
  public Tensor forward(Tensor input, Tensor indices, LongVectorOptional outputSize) {
    long[] sizes = outputSize.has_value() ? outputSize.get().get() : null;
    try (GraphRecording.Call call = entered()) {
      return unpooled(input, indices, sizes(input, sizes));
    }
  }

  /** The same, for a result of the given sizes, as the input of the pooling had. */
  public Tensor forward(Tensor input, Tensor indices, long... outputSize) {
    try (GraphRecording.Call call = entered()) {
      return unpooled(input, indices, sizes(input, outputSize));
    }
  }

  private long[] sizes(Tensor input, long[] wanted) {
    long[] kernel = options.kernelSize.get();
    long[] stride = options.stride.get();
    int dims = kernel.length;
    int lead = (int) input.dim() - dims;
    long[] usual = new long[dims];
    for (int d = 0; d < dims; d++) {
      usual[d] = (input.size(lead + d) - 1) * stride[d] + kernel[d] - 2 * options.padding.get()[d];
    }
    if (wanted == null) {
      return usual;
    }
    long[] sizes =
        wanted.length == dims + 2 ? Arrays.copyOfRange(wanted, 2, wanted.length) : wanted;
    if (sizes.length != dims) {
      throw new IllegalArgumentException(
          "output_size should be a sequence containing "
              + dims
              + " or "
              + (dims + 2)
              + " elements, but it has a length of '"
              + wanted.length
              + "'");
    }
    for (int d = 0; d < dims; d++) {
      if (sizes[d] <= usual[d] - stride[d] || sizes[d] >= usual[d] + stride[d]) {
        throw new IllegalArgumentException(
            "invalid output_size \""
                + Arrays.toString(sizes)
                + "\" (dim "
                + d
                + " must be between "
                + (usual[d] - stride[d])
                + " and "
                + (usual[d] + stride[d])
                + ")");
      }
    }
    return sizes;
  }

  @Override
  protected String describe() {
    return "kernel_size="
        + options.kernelSize
        + ", stride="
        + options.stride
        + ", padding="
        + options.padding;
  }
}
