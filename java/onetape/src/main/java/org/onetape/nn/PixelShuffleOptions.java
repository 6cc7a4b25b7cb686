package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link PixelShuffleImpl} is made. */
public final class PixelShuffleOptions extends Value {
  private final LongPointer upscaleFactor = new LongPointer(new long[] {1});

  /** How many times larger images become. */
  public PixelShuffleOptions(long upscaleFactor) {
    upscale_factor(upscaleFactor);
  }

  /** How many times larger images become. */
  public LongPointer upscale_factor() {
    return upscaleFactor;
  }

  /** Sets how many times larger images become; returns this. */
  public PixelShuffleOptions upscale_factor(long value) {
    upscaleFactor.put(value);
    return this;
  }
}
