package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The elements of max pooling over two dimensions, back at their places among zeros. */
public class MaxUnpool2dImpl extends MaxUnpoolBase {
  private final MaxUnpool2dOptions options;

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxUnpool2dImpl(LongPointer kernelSize) {
    this(new MaxUnpool2dOptions(kernelSize));
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxUnpool2dImpl(long... kernelSize) {
    this(new MaxUnpool2dOptions(kernelSize));
  }

  /** A layer as the options say. */
  public MaxUnpool2dImpl(MaxUnpool2dOptions options) {
    super("MaxUnpool2d", options);
    this.options = options;
  }

  @Override
  Tensor unpooled(Tensor input, Tensor indices, long[] sizes) {
    return torch.max_unpool2d(input, indices, sizes);
  }

  /** How the layer was made. */
  public MaxUnpool2dOptions options() {
    return options;
  }
}
