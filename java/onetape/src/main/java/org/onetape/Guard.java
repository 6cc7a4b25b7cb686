package org.onetape;

import org.onetape.internal.RefList;

/** A state of the thread until it is closed, at the latest by the scope around it. */
abstract class Guard implements AutoCloseable {
  private final MemoryScope scope = (MemoryScope) RefList.current().scope();
  private boolean closed;

  /** To be called at the end of the constructor, when the state has been set. */
  final void begin() {
    if (scope != null) {
      scope.attach((AutoCloseable) this);
    }
  }

  /** Goes back to the state before. */
  abstract void restore();

  /** Whether there is nothing behind this object: not until it is closed. */
  public final boolean isNull() {
    return closed;
  }

  /** Goes back to what was before; closing again does nothing. */
  @Override
  public final void close() {
    if (!closed) {
      closed = true;
      restore();
      if (scope != null) {
        scope.detach((AutoCloseable) this);
      }
    }
  }
}
