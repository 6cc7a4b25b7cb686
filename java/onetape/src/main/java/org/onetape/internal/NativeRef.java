package org.onetape.internal;

import java.lang.ref.PhantomReference;

/**
 * What owns a native handle on behalf of one Java object.
 *
 * <p>The handle is closed by hand, by the scope in whose list this stands, or by the collector when
 * the object has become unreachable. Closing a handle twice is harmless, since native code knows
 * the handles that are still open.
 */
public final class NativeRef extends PhantomReference<Object> {
  final long handle;
  final StackTraceElement origin;
  volatile boolean closed;
  private volatile StackTraceElement closer;

  // Guarded by the lock of the list.
  volatile RefList list;
  NativeRef previous;
  NativeRef next;

  NativeRef(Object owner, long handle, RefList list) {
    super(owner, Collector.QUEUE);
    this.handle = handle;
    this.origin = Leaks.TRACE ? Leaks.caller() : null;
    this.list = list;
  }

  /** Whether the handle was closed. */
  public boolean isClosed() {
    return closed;
  }

  /** Closes the handle. */
  public void close() {
    if (!closed) {
      leaveList();
      markClosed(Leaks.TRACE ? Leaks.caller() : null);
      Engine.close(handle);
    }
  }

  /**
   * Notes that the handle is about to be closed; the collector need not look at it any more.
   *
   * @param where the line that closes it, or null if that is not traced
   */
  void markClosed(StackTraceElement where) {
    closer = where;
    closed = true;
    clear();
  }

  /** The line that closed the handle; null if it is open or that was not traced. */
  StackTraceElement closer() {
    return closer;
  }

  /** The list this stands in, or null once closed. */
  public RefList list() {
    return list;
  }

  /**
   * Moves this to another list.
   *
   * @return false if the handle was closed in the meantime
   */
  public boolean moveTo(RefList target) {
    if (list == target) {
      return true;
    }
    if (!leaveList()) {
      return false;
    }
    target.add(this);
    return true;
  }

  boolean leaveList() {
    for (RefList current = list; current != null; current = list) {
      if (current.remove(this)) {
        return true;
      }
    }
    return false;
  }
}
