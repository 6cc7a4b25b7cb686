package org.onetape.nn;

import org.onetape.Tensor;

/** Brings each channel of each sample to mean 0 and variance 1, then scales and moves it. */
public class InstanceNorm1dImpl extends InstanceNormBase {
  private final InstanceNormOptions options;

  /** For so many channels. */
  public InstanceNorm1dImpl(long numFeatures) {
    this(new InstanceNormOptions(numFeatures));
  }

  /** A layer as the options say. */
  public InstanceNorm1dImpl(InstanceNormOptions options) {
    this(options, false);
  }

  InstanceNorm1dImpl(InstanceNormOptions options, boolean lazy) {
    super("InstanceNorm1d", options, lazy);
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    see(input);
    checkDims(input, 2, 3);
    return normalize(input, 2);
  }

  /** How the layer was made. */
  public InstanceNormOptions options() {
    return options;
  }
}
