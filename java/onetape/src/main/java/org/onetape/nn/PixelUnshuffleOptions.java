package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link PixelUnshuffleImpl} is made. */
public final class PixelUnshuffleOptions extends Value {
  private final LongPointer downscaleFactor = new LongPointer(new long[] {1});

  /** How many times smaller images become. */
  public PixelUnshuffleOptions(long downscaleFactor) {
    downscale_factor(downscaleFactor);
  }

  /** How many times smaller images become. */
  public LongPointer downscale_factor() {
    return downscaleFactor;
  }

  /** Sets how many times smaller images become; returns this. */
  public PixelUnshuffleOptions downscale_factor(long value) {
    downscaleFactor.put(value);
    return this;
  }
}
