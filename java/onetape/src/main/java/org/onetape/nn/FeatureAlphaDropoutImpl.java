package org.onetape.nn;

import org.onetape.Tensor;
import org.onetape.global.torch;

/** AlphaDropout of whole channels. */
public class FeatureAlphaDropoutImpl extends DropoutBase {
  /** A probability of one half. */
  public FeatureAlphaDropoutImpl() {
    this(0.5);
  }

  /** The given probability that something is left out. */
  public FeatureAlphaDropoutImpl(double p) {
    this(new DropoutOptions(p));
  }

  /** A layer as the options say. */
  public FeatureAlphaDropoutImpl(DropoutOptions options) {
    super("FeatureAlphaDropout", options);
  }

  @Override
  Tensor dropped(Tensor input, double p, boolean training) {
    return torch.feature_alpha_dropout(input, p, training);
  }
}
