package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;

/** What layers share that pool by norms. */
public abstract class LPPoolBase extends Module {
  private final LPPoolOptionsBase<?> options;

  LPPoolBase(String name, LPPoolOptionsBase<?> options) {
    super(name);
    this.options = options;
  }

  /** The largest element of each window. */
  abstract Tensor largest(Tensor input, long[] kernel, long[] stride, boolean ceil);

  /** The root of the sum of powers over each window. */
  abstract Tensor sums(Tensor input, double norm, long[] kernel, long[] stride, boolean ceil);

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return pooled(input, options.norm_type().get());
    }
  }

  /** Norms that are no sums of powers are the largest absolute values. */
  private Tensor pooled(Tensor input, double norm) {
    if (norm == 0) {
      throw new IllegalArgumentException(
          "norm_type must be a non-zero value, but got " + PythonText.of(norm));
    }
    long[] kernel = options.kernelSize.get();
    long[] stride = options.stride.get();
    boolean ceil = options.ceil_mode().get();
    if (!Double.isInfinite(norm)) {
      return sums(input, norm, kernel, stride, ceil);
    }
    Tensor sizes = input.abs();
    return norm > 0
        ? largest(sizes, kernel, stride, ceil)
        : largest(sizes.neg(), kernel, stride, ceil).neg();
  }

  @Override
  protected String describe() {
    return options.describe();
  }
}
