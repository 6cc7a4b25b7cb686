package org.onetape.nn;

import org.onetape.Tensor;
import org.onetape.global.torch;

/** Dropout of whole channels of volumes: (channels, depth, height, width), or samples of these. */
public class Dropout3dImpl extends DropoutBase {
  /** A probability of one half. */
  public Dropout3dImpl() {
    this(0.5);
  }

  /** The given probability that something is left out. */
  public Dropout3dImpl(double p) {
    this(new DropoutOptions(p));
  }

  /** A layer as the options say. */
  public Dropout3dImpl(DropoutOptions options) {
    super("Dropout3d", options);
  }

  @Override
  Tensor dropped(Tensor input, double p, boolean training) {
    if (input.dim() != 4) {
      return torch.feature_dropout(input, p, training);
    }
    return torch.feature_dropout(input.unsqueeze(0), p, training).squeeze(0);
  }
}
