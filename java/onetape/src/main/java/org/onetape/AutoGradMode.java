package org.onetape;

import org.onetape.internal.Engine;

/**
 * Says whether operators are recorded in this thread, until it is closed.
 *
 * <p>It is closed by the thread that made it, and otherwise by the {@link MemoryScope} around it.
 */
public class AutoGradMode extends Guard {
  private final boolean previous = Engine.gradEnabled();

  /** Starts or stops recording. */
  @SuppressWarnings("this-escape") // the scope only keeps the reference
  public AutoGradMode(boolean enabled) {
    Engine.setGradEnabled(enabled);
    begin();
  }

  /** Whether operators are recorded in this thread. */
  public static boolean is_enabled() {
    return Engine.gradEnabled();
  }

  @Override
  final void restore() {
    Engine.setGradEnabled(previous);
  }
}
