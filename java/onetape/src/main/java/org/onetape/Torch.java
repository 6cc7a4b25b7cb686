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

  /** This thread is in inference mode until the result is closed. */
  public static InferenceMode inferenceMode() {
    return new InferenceMode();
  }

  /**
   * Until the result is closed, an exception from a backward pass tells the forward call of the
   * operator it comes from, and a gradient that holds a nan is one.
   */
  public static DetectAnomalyGuard detectAnomaly() {
    return new DetectAnomalyGuard();
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
