package org.onetape.internal;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * The handles that belong to one scope, or to no scope.
 *
 * <p>Each thread has a stack of open scopes. What is made in a scope hangs in a chain that only the
 * scope's thread touches, so that making and closing need no lock; what leaves the scope early only
 * says so, and the chain passes it over. Handles that belong to no scope stand in one of a few
 * shared lists, whose only purpose is to keep them reachable until the collector reports them.
 */
public final class RefList {
  private static final RefList[] UNSCOPED = new RefList[16];
  private static final Set<Innermost> THREADS = ConcurrentHashMap.newKeySet();
  private static final ThreadLocal<Innermost> INNERMOST = ThreadLocal.withInitial(Innermost::new);
  private static final AtomicReferenceFieldUpdater<RefList, List<NativeRef>> MOVED_HERE =
      movedHere();
  private static final List<NativeRef> CLOSED = Collections.unmodifiableList(new ArrayList<>());
  private static final int BATCH = 256;
  private static final int LONG = 4096;

  static {
    for (int i = 0; i < UNSCOPED.length; i++) {
      UNSCOPED[i] = new RefList(null, null, null);
    }
  }

  /** The innermost list of a thread; reachable while the thread lives or has a scope open. */
  private static final class Innermost {
    final Thread thread = Thread.currentThread();
    RefList list = unscoped(); // others look at it only when the thread has ended
    long[] handles; // for closing a scope; made when needed

    Innermost() {
      THREADS.removeIf(other -> !other.thread.isAlive() && !other.list.isScope());
      THREADS.add(this);
    }
  }

  private final RefList outer;
  private final AutoCloseable scope;
  private final Innermost innermost; // of the scope's thread; null without a scope

  // Of a scope: touched by its thread only. Without a scope: guarded by this object's lock.
  private NativeRef newest;
  private int length; // of the chain, with those that have left
  private int bound = LONG;

  // What moved to a scope, in a list that is made when needed, and then guarded by this object's
  // lock; CLOSED after the end of the scope.
  private volatile List<NativeRef> movedHere;
  private int movedBound = LONG;

  private RefList(RefList outer, AutoCloseable scope, Innermost innermost) {
    this.outer = outer;
    this.scope = scope;
    this.innermost = innermost;
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // a class literal has no type arguments
  private static AtomicReferenceFieldUpdater<RefList, List<NativeRef>> movedHere() {
    return (AtomicReferenceFieldUpdater)
        AtomicReferenceFieldUpdater.newUpdater(RefList.class, List.class, "movedHere");
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
    RefList list = new RefList(innermost.list, scope, innermost);
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
    if (innermost == null || innermost.thread != Thread.currentThread()) {
      add(ref);
    } else if (isClosed()) {
      refuse(ref);
    } else {
      ref.next = newest;
      newest = ref;
      if (++length >= bound) {
        shorten();
      }
    }
    return ref;
  }

  /** Takes out of the chain what has left this scope. */
  private void shorten() {
    NativeRef last = null;
    for (NativeRef ref = newest; ref != null; ref = ref.next) {
      if (ref.list() == this) {
        last = ref;
        continue;
      }
      length--;
      if (last == null) {
        newest = ref.next;
      } else {
        last.next = ref.next;
      }
    }
    bound = Math.max(LONG, 2 * length);
  }

  /** Takes in what belongs to no list, from any thread. */
  void add(NativeRef ref) {
    if (scope == null) {
      link(ref);
    } else if (!takeMoved(ref)) {
      refuse(ref);
    }
  }

  private static void refuse(NativeRef ref) {
    unscoped().link(ref);
    throw new IllegalStateException("the scope is closed");
  }

  private synchronized boolean takeMoved(NativeRef ref) {
    if (movedHere == null) {
      MOVED_HERE.compareAndSet(this, null, new ArrayList<>());
    }
    List<NativeRef> moved = movedHere;
    if (moved == CLOSED) {
      return false;
    }
    ref.enter(this);
    moved.add(ref);
    if (moved.size() >= movedBound) {
      moved.removeIf(other -> other.list() != this);
      movedBound = Math.max(LONG, 2 * moved.size());
    }
    return true;
  }

  private synchronized void link(NativeRef ref) {
    if (ref.list() != this) {
      ref.enter(this);
    }
    ref.older = newest;
    if (newest != null) {
      newest.newer = ref;
    }
    newest = ref;
  }

  /** Lets a handle go that belongs to this list, from any thread; false if it does not. */
  boolean remove(NativeRef ref) {
    return scope == null ? unlink(ref) : ref.leave(this);
  }

  private synchronized boolean unlink(NativeRef ref) {
    if (!ref.leave(this)) {
      return false;
    }
    if (ref.newer != null) {
      ref.newer.older = ref.older;
    } else {
      newest = ref.older;
    }
    if (ref.older != null) {
      ref.older.newer = ref.newer;
    }
    ref.older = ref.newer = null;
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
    return innermost.thread;
  }

  /** Whether this belongs to the innermost open scope of its thread, which is the caller. */
  public boolean isInnermost() {
    return innermost.list == this;
  }

  /** Whether the scope was closed. */
  public boolean isClosed() {
    return movedHere == CLOSED;
  }

  /** Notes that the scope is closed; returns what moved here, or null. */
  private List<NativeRef> end() {
    if (MOVED_HERE.compareAndSet(this, null, CLOSED)) { // from now on there is no list
      return null;
    }
    synchronized (this) {
      return MOVED_HERE.getAndSet(this, CLOSED);
    }
  }

  /** Closes every handle of this scope, the newest first; it must be the innermost one. */
  public void close() {
    List<NativeRef> moved = end();
    innermost.list = outer;
    StackTraceElement where = Leaks.TRACE ? Leaks.caller() : null;
    int count = 0;
    if (moved != null) {
      for (int i = moved.size(); i-- > 0; ) {
        count = close(moved.get(i), where, count);
      }
    }
    NativeRef next;
    for (NativeRef ref = newest; ref != null; ref = next) {
      next = ref.next;
      ref.next = null;
      count = close(ref, where, count);
    }
    newest = null;
    if (count > 0) {
      closeAll(innermost.handles, count);
    }
  }

  private static void closeAll(long[] handles, int count) {
    if (count <= 4) {
      Engine.close(
          handles[0],
          count > 1 ? handles[1] : 0,
          count > 2 ? handles[2] : 0,
          count > 3 ? handles[3] : 0);
    } else {
      Engine.closeAll(handles, count);
    }
  }

  /** Puts a handle into the batch of those to be closed; returns how many it then has. */
  private int close(NativeRef ref, StackTraceElement where, int count) {
    if (!ref.leave(this)) {
      return count;
    }
    ref.markClosed(where);
    if (innermost.handles == null) {
      innermost.handles = new long[BATCH];
    }
    innermost.handles[count] = ref.handle;
    if (count + 1 < BATCH) {
      return count + 1;
    }
    Engine.closeAll(innermost.handles, BATCH);
    return 0;
  }
}
