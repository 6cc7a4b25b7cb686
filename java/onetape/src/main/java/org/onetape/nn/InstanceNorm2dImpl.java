package org.onetape.nn;

import org.onetape.Tensor;

/** Brings each channel of each sample to mean 0 and variance 1, then scales and moves it. */
public class InstanceNorm2dImpl extends InstanceNormBase {
  private final InstanceNormOptions options;

  /** For so many channels. */
  public InstanceNorm2dImpl(long numFeatures) {
    this(new InstanceNormOptions(numFeatures));
  }

  /** A layer as the options say. */
  public InstanceNorm2dImpl(InstanceNormOptions options) {
    this(options, false);
  }

  InstanceNorm2dImpl(InstanceNormOptions options, boolean lazy) {
    super("InstanceNorm2d", options, lazy);
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    see(input);
    checkDims(input, 3, 4);
    return normalize(input, 3);
  }

  /** How the layer was made. */
  public InstanceNormOptions options() {
    return options;
  }
}
