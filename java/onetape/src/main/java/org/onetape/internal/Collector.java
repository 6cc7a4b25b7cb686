package org.onetape.internal;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;

/** Closes the handles whose owners are unreachable, and asks for that when memory runs short. */
public final class Collector {
  static final ReferenceQueue<Object> QUEUE = new ReferenceQueue<>();

  private static final int BATCH = 1024;
  private static final long BEAN_DELAY_NANOS = 1_000_000_000;
  private static final long BOUND = bound();
  private static final long PAUSE_NANOS = 20_000_000;
  private static long lastRelief = System.nanoTime() - PAUSE_NANOS;

  private Collector() {}

  static {
    Thread thread = new Thread(Collector::run, "onetape-collector");
    thread.setDaemon(true);
    thread.setContextClassLoader(null);
    thread.start();
  }

  private static long bound() {
    String value = System.getProperty("onetape.memoryBound");
    if (value != null) {
      return Long.parseLong(value);
    }
    return Math.min(512L << 20, Runtime.getRuntime().maxMemory() / 4);
  }

  /** Tells native code when to call {@link #relieve()}. */
  static void start() {
    Engine.setPressureBound(BOUND);
  }

  private static void run() {
    long[] handles = new long[BATCH];
    long start = System.nanoTime();
    boolean registered = false;
    while (true) {
      try {
        Reference<?> next = registered ? QUEUE.remove() : QUEUE.remove(100);
        if (next != null) {
          close((NativeRef) next, handles);
        }
      } catch (InterruptedException e) {
        // Nobody has a reason to interrupt this thread; go on.
      }
      if (!registered && System.nanoTime() - start > BEAN_DELAY_NANOS) {
        registered = true;
        registerBean();
      }
    }
  }

  /** JMX takes a while to start; so it does when the program has started, and in this thread. */
  private static void registerBean() {
    try {
      MemoryBean.register();
    } catch (RuntimeException | LinkageError e) {
      // A Java without JMX, or a program that does not allow it; the numbers are optional.
    }
  }

  /** Closes what the queue holds, starting with a reference already taken from it. */
  private static void close(NativeRef first, long[] handles) {
    int count = 0;
    for (Reference<?> next = first; next != null; next = QUEUE.poll()) {
      NativeRef ref = (NativeRef) next;
      RefList list = ref.list();
      if (ref.leaveList()) {
        Leaks.found(ref, !list.isScope());
        ref.markClosed(null);
        handles[count++] = ref.handle;
      }
      if (count == handles.length) {
        Engine.closeAll(handles, count);
        count = 0;
      }
    }
    Engine.closeAll(handles, count);
  }

  /**
   * Called from native code when the tensors of this program hold more native memory than the
   * bound: lets the garbage collector find the unreachable ones.
   */
  static void relieve() {
    synchronized (Collector.class) {
      long now = System.nanoTime();
      if (now - lastRelief >= PAUSE_NANOS) {
        collectNow();
        lastRelief = System.nanoTime();
      }
    }
  }

  private static void collectNow() {
    long[] handles = new long[BATCH];
    long before = Engine.nativeBytes();
    System.gc();
    for (int attempt = 0; attempt < 20; attempt++) {
      Reference<?> next;
      try {
        next = QUEUE.remove(5);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
      if (next != null) {
        close((NativeRef) next, handles);
      } else if (Engine.nativeBytes() < before) {
        break;
      }
    }
    // What is still there is in use: look again only when there is half as much more.
    Engine.setPressureBound(Math.max(BOUND, Engine.nativeBytes() + Engine.nativeBytes() / 2));
  }
}
