package org.onetape;

import org.onetape.global.torch;

/** Switches and settings in Java's spelling. */
public final class Torch {
  private Torch() {}

  /** Operators are not recorded in this thread until the result is closed. */
  public static NoGradGuard noGrad() {
    return new NoGradGuard();
  }

  /** Operators are recorded in this thread until the result is closed. */
  public static EnableGradGuard enableGrad() {
    return new EnableGradGuard();
  }

  /** Starts the default random number generator anew: the same seed gives the same numbers. */
  public static void manualSeed(long seed) {
    torch.manual_seed(seed);
  }

  /** How many threads one operator may use. */
  public static int getNumThreads() {
    return torch.get_num_threads();
  }

  /** Sets how many threads one operator may use. */
  public static void setNumThreads(int count) {
    torch.set_num_threads(count);
  }
}
