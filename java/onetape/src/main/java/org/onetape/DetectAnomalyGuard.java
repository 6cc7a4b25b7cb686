package org.onetape;

import org.onetape.internal.Engine;

/** {@link AnomalyMode} until it is closed. */
public final class DetectAnomalyGuard extends Guard {
  private final boolean previous = Engine.anomaly();
  private final boolean previousNan = Engine.anomalyCheckNan();

  /** Switches the mode on; gradients are searched for nan. */
  public DetectAnomalyGuard() {
    this(true);
  }

  /** Switches the mode on. */
  public DetectAnomalyGuard(boolean checkNan) {
    Engine.setAnomaly(true, checkNan);
    begin();
  }

  @Override
  void restore() {
    Engine.setAnomaly(previous, previousNan);
  }
}
