package org.onetape;

/** Operators are recorded in this thread until the guard is closed, also inside a NoGradGuard. */
public final class EnableGradGuard extends AutoGradMode {
  /** Starts recording. */
  public EnableGradGuard() {
    super(true);
  }
}
