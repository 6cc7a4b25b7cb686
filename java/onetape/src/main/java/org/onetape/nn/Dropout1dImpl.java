package org.onetape.nn;

import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch;

/** Dropout of whole channels of lines: (channels, length), or samples of these. */
public class Dropout1dImpl extends DropoutBase {
  /** A probability of one half. */
  public Dropout1dImpl() {
    this(0.5);
  }

  /** The given probability that something is left out. */
  public Dropout1dImpl(double p) {
    this(new DropoutOptions(p));
  }

  /** A layer as the options say. */
  public Dropout1dImpl(DropoutOptions options) {
    super("Dropout1d", options);
  }

  @Override
  Tensor dropped(Tensor input, double p, boolean training) {
    if (input.dim() != 2 && input.dim() != 3) {
      throw new TorchException(
          "dropout1d: Expected 2D or 3D input, but received a "
              + input.dim()
              + "D input. Note that dropout1d exists to provide channel-wise dropout on inputs with"
              + " 1 spatial dimension, a channel dimension, and an optional batch dimension (i.e."
              + " 2D or 3D inputs).");
    }
    if (input.dim() == 3) {
      return torch.feature_dropout(input, p, training);
    }
    return torch.feature_dropout(input.unsqueeze(0), p, training).squeeze(0);
  }
}
