package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The elements of max pooling over three dimensions, back at their places among zeros. */
public class MaxUnpool3dImpl extends MaxUnpoolBase {
  private final MaxUnpool3dOptions options;

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxUnpool3dImpl(LongPointer kernelSize) {
    this(new MaxUnpool3dOptions(kernelSize));
  }

  /** Windows of this size, side by side: a number, or one a dimension. */
  public MaxUnpool3dImpl(long... kernelSize) {
    this(new MaxUnpool3dOptions(kernelSize));
  }

  /** A layer as the options say. */
  public MaxUnpool3dImpl(MaxUnpool3dOptions options) {
    super("MaxUnpool3d", options);
    this.options = options;
  }

  @Override
  Tensor unpooled(Tensor input, Tensor indices, long[] sizes) {
    return torch.max_unpool3d(input, indices, sizes, options.stride.get(), options.padding.get());
  }

  /** How the layer was made. */
  public MaxUnpool3dOptions options() {
    return options;
  }
}
