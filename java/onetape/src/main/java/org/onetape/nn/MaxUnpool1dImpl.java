package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The elements of max pooling over one dimension, back at their places among zeros. */
public class MaxUnpool1dImpl extends MaxUnpoolBase {
  private final MaxUnpool1dOptions options;

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxUnpool1dImpl(LongPointer kernelSize) {
    this(new MaxUnpool1dOptions(kernelSize));
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxUnpool1dImpl(long... kernelSize) {
    this(new MaxUnpool1dOptions(kernelSize));
  }

  /** A layer as the options say. */
  public MaxUnpool1dImpl(MaxUnpool1dOptions options) {
    super("MaxUnpool1d", options);
    this.options = options;
  }

  @Override
  Tensor unpooled(Tensor input, Tensor indices, long[] sizes) {
    long[] lines = {sizes[0], 1};
    return torch.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), lines).squeeze(-1);
  }

  /** How the layer was made. */
  public MaxUnpool1dOptions options() {
    return options;
  }
}
