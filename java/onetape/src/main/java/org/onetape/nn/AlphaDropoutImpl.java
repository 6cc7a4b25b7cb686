package org.onetape.nn;

import org.onetape.Tensor;
import org.onetape.global.torch;

/** Dropout for networks with SELU: mean 0 and variance 1 are kept. */
public class AlphaDropoutImpl extends DropoutBase {
  /** A probability of one half. */
  public AlphaDropoutImpl() {
    this(0.5);
  }

  /** The given probability that something is left out. */
  public AlphaDropoutImpl(double p) {
    this(new DropoutOptions(p));
  }

  /** A layer as the options say. */
  public AlphaDropoutImpl(DropoutOptions options) {
    super("AlphaDropout", options);
  }

  @Override
  Tensor dropped(Tensor input, double p, boolean training) {
    return torch.alpha_dropout(input, p, training);
  }
}
