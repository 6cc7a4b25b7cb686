package org.onetape.nn;

import org.onetape.Tensor;
import org.onetape.global.torch;

/** Dropout of whole channels of images: (samples, channels, height, width). */
public class Dropout2dImpl extends DropoutBase {
  /** A probability of one half. */
  public Dropout2dImpl() {
    this(0.5);
  }

  /** The given probability that something is left out. */
  public Dropout2dImpl(double p) {
    this(new DropoutOptions(p));
  }

  /** A layer as the options say. */
  public Dropout2dImpl(DropoutOptions options) {
    super("Dropout2d", options);
  }

  @Override
  Tensor dropped(Tensor input, double p, boolean training) {
    return torch.feature_dropout(input, p, training);
  }
}
