package org.onetape.nn;

import org.onetape.Tensor;

/** Brings each channel of each sample to mean 0 and variance 1, then scales and moves it. */
public class InstanceNorm3dImpl extends InstanceNormBase {
  private final InstanceNormOptions options;

  /** For so many channels. */
  public InstanceNorm3dImpl(long numFeatures) {
    this(new InstanceNormOptions(numFeatures));
  }

  /** A layer as the options say. */
  public InstanceNorm3dImpl(InstanceNormOptions options) {
    this(options, false);
  }

  InstanceNorm3dImpl(InstanceNormOptions options, boolean lazy) {
    super("InstanceNorm3d", options, lazy);
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    see(input);
    checkDims(input, 4, 5);
    return normalize(input, 4);
  }

  /** How the layer was made. */
  public InstanceNormOptions options() {
    return options;
  }
}
