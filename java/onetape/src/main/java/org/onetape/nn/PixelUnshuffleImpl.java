package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Each square of pixels as channels. */
public class PixelUnshuffleImpl extends Module {
  private final PixelUnshuffleOptions options;

  /** How many times smaller images become. */
  public PixelUnshuffleImpl(long downscaleFactor) {
    this(new PixelUnshuffleOptions(downscaleFactor));
  }

  /** As the options say. */
  public PixelUnshuffleImpl(PixelUnshuffleOptions options) {
    super("PixelUnshuffle");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.pixel_unshuffle(input, options.downscale_factor().get());
    }
  }

  /** How it was made. */
  public PixelUnshuffleOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "downscale_factor=" + options.downscale_factor().get();
  }
}
