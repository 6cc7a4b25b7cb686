package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Each square number of channels as a square of pixels. */
public class PixelShuffleImpl extends Module {
  private final PixelShuffleOptions options;

  /** How many times larger images become. */
  public PixelShuffleImpl(long upscaleFactor) {
    this(new PixelShuffleOptions(upscaleFactor));
  }

  /** As the options say. */
  public PixelShuffleImpl(PixelShuffleOptions options) {
    super("PixelShuffle");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.pixel_shuffle(input, options.upscale_factor().get());
    }
  }

  /** How it was made. */
  public PixelShuffleOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "upscale_factor=" + options.upscale_factor().get();
  }
}
