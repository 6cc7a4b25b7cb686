package org.onetape;

import org.onetape.internal.Engine;

/**
 * Finding the forward call behind an error of a backward pass, for all threads.
 *
 * <p>While the mode is on, every node notes the calls that recorded it, Java's and, in a process
 * with Python, Python's. An exception that comes from a node carries them as a suppressed
 * exception, a {@link ForwardCall}. Everything is slower meanwhile.
 */
public final class AnomalyMode {
  private AnomalyMode() {}

  /** Whether the mode is on. */
  public static boolean is_enabled() {
    return Engine.anomaly();
  }

  /** Whether a gradient that holds a nan is an error in this mode. */
  public static boolean should_check_nan() {
    return Engine.anomalyCheckNan();
  }

  /** Switches the mode; gradients are searched for nan. */
  public static void set_enabled(boolean enabled) {
    set_enabled(enabled, true);
  }

  /** Switches the mode. */
  public static void set_enabled(boolean enabled, boolean checkNan) {
    Engine.setAnomaly(enabled, checkNan);
  }

  /** Tells which operator failed in a backward pass, and the calls that recorded it. */
  public static final class ForwardCall extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** With the text to show. */
    public ForwardCall(String message) {
      super(message, null, false, false);
    }
  }
}
