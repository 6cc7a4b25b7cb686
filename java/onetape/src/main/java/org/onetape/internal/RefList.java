package org.onetape.internal;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The handles that belong to one scope, or to no scope.
 *
 * <p>Each thread has a stack of open scopes. Handles that belong to none stand in one of a few
 * shared lists, whose only purpose is to keep them reachable until the collector reports them.
 */
public final class RefList {
  private static final RefList[] UNSCOPED = new RefList[16];
  private static final Set<Innermost> THREADS = ConcurrentHashMap.newKeySet();
  private static final ThreadLocal<Innermost> INNERMOST = ThreadLocal.withInitial(Innermost::new);
  private static final int BATCH = 256;

  static {
    for (int i = 0; i < UNSCOPED.length; i++) {
      UNSCOPED[i] = new RefList(null, null);
    }
  }

  /** The innermost list of a thread; reachable while the thread lives or has a scope open. */
  private static final class Innermost {
    final Thread thread = Thread.currentThread();
    volatile RefList list = unscoped();

    Innermost() {
      THREADS.removeIf(other -> !other.thread.isAlive() && !other.list.isScope());
      THREADS.add(this);
    }
  }

  private final RefList outer;
  private final AutoCloseable scope;
  private final Thread thread = Thread.currentThread();
  private NativeRef newest;
  private boolean closed;

  private RefList(RefList outer, AutoCloseable scope) {
    this.outer = outer;
    this.scope = scope;
  }

  /** The list for handles that belong to no scope. */
  public static RefList unscoped() {
    return UNSCOPED[(int) Thread.currentThread().getId() & UNSCOPED.length - 1];
  }

  /** The list of the innermost open scope of this thread, or one for handles without a scope. */
  public static RefList current() {
    return INNERMOST.get().list;
  }

  /** Opens a scope in this thread; the object is what closes it. */
  public static RefList open(AutoCloseable scope) {
    Innermost innermost = INNERMOST.get();
    RefList list = new RefList(innermost.list, scope);
    innermost.list = list;
    return list;
  }

  /** Makes an object of this thread the owner of a handle. */
  public static NativeRef register(Object owner, long handle) {
    return current().own(owner, handle);
  }

  /** Makes an object the owner of a handle that belongs to this list. */
  public NativeRef own(Object owner, long handle) {
    NativeRef ref = new NativeRef(owner, handle, this);
    link(ref);
    return ref;
  }

  private synchronized void link(NativeRef ref) {
    if (closed) {
      ref.list = null;
      throw new IllegalStateException("the scope is closed");
    }
    ref.next = newest;
    if (newest != null) {
      newest.previous = ref;
    }
    newest = ref;
  }

  synchronized void add(NativeRef ref) {
    ref.list = this;
    link(ref);
  }

  synchronized boolean remove(NativeRef ref) {
    if (ref.list != this) {
      return false;
    }
    if (ref.previous != null) {
      ref.previous.next = ref.next;
    } else {
      newest = ref.next;
    }
    if (ref.next != null) {
      ref.next.previous = ref.previous;
    }
    ref.next = ref.previous = null;
    ref.list = null;
    return true;
  }

  /** Whether this list belongs to a scope. */
  public boolean isScope() {
    return scope != null;
  }

  /** What closes the scope of this list. */
  public AutoCloseable scope() {
    return scope;
  }

  /** The list around this one. */
  public RefList outer() {
    return outer;
  }

  /** Whether the other list is this one or that of a scope inside. */
  public boolean encloses(RefList other) {
    for (RefList list = other; list != null; list = list.outer) {
      if (list == this) {
        return true;
      }
    }
    return false;
  }

  /** The thread that opened the scope. */
  public Thread thread() {
    return thread;
  }

  /** Whether the scope was closed. */
  public synchronized boolean isClosed() {
    return closed;
  }

  /** Closes every handle of this scope, the newest first; it must be the innermost one. */
  public void close() {
    NativeRef first;
    synchronized (this) {
      closed = true;
      first = newest;
      newest = null;
      for (NativeRef ref = first; ref != null; ref = ref.next) {
        ref.list = null;
      }
    }
    INNERMOST.get().list = outer;
    StackTraceElement where = Leaks.TRACE && first != null ? Leaks.caller() : null;
    long[] handles = new long[BATCH];
    int count = 0;
    for (NativeRef ref = first; ref != null; ref = ref.next) {
      ref.markClosed(where);
      handles[count++] = ref.handle;
      if (count == BATCH) {
        Engine.closeAll(handles, count);
        count = 0;
      }
    }
    Engine.closeAll(handles, count);
  }
}
