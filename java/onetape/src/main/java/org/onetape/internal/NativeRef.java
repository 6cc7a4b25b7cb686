package org.onetape.internal;

import java.lang.ref.PhantomReference;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * What owns a native handle on behalf of one Java object.
 *
 * <p>The handle is closed by hand, by the scope in whose list this stands, or by the collector when
 * the object has become unreachable. Closing a handle twice is harmless, since native code knows
 * the handles that are still open.
 */
public final class NativeRef extends PhantomReference<Object> {
  private static final AtomicReferenceFieldUpdater<NativeRef, RefList> LIST =
      AtomicReferenceFieldUpdater.newUpdater(NativeRef.class, RefList.class, "list");
  private static final AtomicIntegerFieldUpdater<NativeRef> CLOSED =
      AtomicIntegerFieldUpdater.newUpdater(NativeRef.class, "closed");

  final long handle;
  final StackTraceElement origin;

  private StackTraceElement closer; // set before closed
  private volatile int closed;
  private volatile RefList list; // where this belongs; null once it has left

  // The scope in which this was made goes along these links, also when this has left it.
  NativeRef next;

  // The list of handles without a scope; guarded by its lock.
  NativeRef newer;
  NativeRef older;

  NativeRef(Object owner, long handle, RefList list) {
    super(owner, Collector.QUEUE);
    this.handle = handle;
    this.origin = Leaks.TRACE ? Leaks.caller() : null;
    LIST.lazySet(this, list); // nobody else knows this object yet
  }

  /** Whether the handle was closed. */
  public boolean isClosed() {
    return closed != 0;
  }

  /** Closes the handle. */
  public void close() {
    if (closed == 0) {
      leaveList();
      markClosed(Leaks.TRACE ? Leaks.caller() : null);
      clear(); // the collector need not look at it any more
      Engine.close(handle);
    }
  }

  /**
   * Notes that the handle is about to be closed.
   *
   * @param where the line that closes it, or null if that is not traced
   */
  void markClosed(StackTraceElement where) {
    closer = where;
    CLOSED.lazySet(this, 1); // in order is enough: native code has the last word
  }

  /** The line that closed the handle; null if it is open or that was not traced. */
  StackTraceElement closer() {
    return closed != 0 ? closer : null;
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

  /** Notes that this belongs to a list. */
  void enter(RefList entered) {
    list = entered;
  }

  /** Notes that this belongs to no list, if it belonged to that one; only one caller succeeds. */
  boolean leave(RefList left) {
    return LIST.compareAndSet(this, left, null);
  }
}
