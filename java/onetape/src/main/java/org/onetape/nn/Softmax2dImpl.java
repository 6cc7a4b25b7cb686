package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Softmax over the channels of each place of images. */
public class Softmax2dImpl extends Module {
  /** The function. */
  public Softmax2dImpl() {
    super("Softmax2d");
  }

  /** Of (channels, height, width), or of samples of these. */
  @Override
  public Tensor forward(Tensor input) {
    if (input.dim() != 3 && input.dim() != 4) {
      throw new IllegalArgumentException(
          "Softmax2d: expected input to be 3D or 4D, got " + input.dim() + "D instead");
    }
    try (GraphRecording.Call call = entered()) {
      return torch.softmax(input, -3);
    }
  }
}
