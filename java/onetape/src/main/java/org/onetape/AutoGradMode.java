package org.onetape;

import org.onetape.internal.Engine;
import org.onetape.internal.RefList;

/**
 * Says whether operators are recorded in this thread, until it is closed.
 *
 * <p>It is closed by the thread that made it, and otherwise by the {@link MemoryScope} around it.
 */
public class AutoGradMode implements AutoCloseable {
  private final boolean previous = Engine.gradEnabled();
  private final MemoryScope scope = (MemoryScope) RefList.current().scope();
  private boolean closed;

  /** Starts or stops recording. */
  @SuppressWarnings("this-escape") // the scope only keeps the reference
  public AutoGradMode(boolean enabled) {
    Engine.setGradEnabled(enabled);
    if (scope != null) {
      scope.attach((AutoCloseable) this);
    }
  }

  /** Whether operators are recorded in this thread. */
  public static boolean is_enabled() {
    return Engine.gradEnabled();
  }

  /** Whether there is nothing behind this object: not until it is closed. */
  public final boolean isNull() {
    return closed;
  }

  /** Goes back to what was before; closing again does nothing. */
  @Override
  public final void close() {
    if (!closed) {
      closed = true;
      Engine.setGradEnabled(previous);
      if (scope != null) {
        scope.detach((AutoCloseable) this);
      }
    }
  }
}
