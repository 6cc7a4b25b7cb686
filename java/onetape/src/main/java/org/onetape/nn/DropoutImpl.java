package org.onetape.nn;

import org.onetape.Tensor;
import org.onetape.global.torch;

/**
 * In training, sets elements to zero at random and scales the others so that the mean stays; in
 * evaluation, lets everything through.
 */
public class DropoutImpl extends DropoutBase {
  /** A probability of one half. */
  public DropoutImpl() {
    this(0.5);
  }

  /** The given probability that something is left out. */
  public DropoutImpl(double p) {
    this(new DropoutOptions(p));
  }

  /** A layer as the options say. */
  public DropoutImpl(DropoutOptions options) {
    super("Dropout", options);
  }

  @Override
  Tensor dropped(Tensor input, double p, boolean training) {
    return torch.dropout(input, p, training);
  }
}
