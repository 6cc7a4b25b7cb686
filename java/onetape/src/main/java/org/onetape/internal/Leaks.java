package org.onetape.internal;

import java.security.ProtectionDomain;
import java.util.concurrent.atomic.AtomicLong;

/** Counts, and on request names, what the collector had to free. */
public final class Leaks {
  static final boolean TRACE = "trace".equals(System.getProperty("onetape.leaks"));

  private static final AtomicLong COLLECTED = new AtomicLong();
  private static final ProtectionDomain LIBRARY = Leaks.class.getProtectionDomain();
  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  private Leaks() {}

  /** How many tensors that belonged to no scope the collector has freed so far. */
  public static long collected() {
    return COLLECTED.get();
  }

  /** The innermost caller that is not part of this library. */
  static StackTraceElement caller() {
    return WALKER.walk(
        frames ->
            frames
                .filter(f -> f.getDeclaringClass().getProtectionDomain() != LIBRARY)
                .filter(f -> !f.getClassName().startsWith("java."))
                .findFirst()
                .map(StackWalker.StackFrame::toStackTraceElement)
                .orElse(null));
  }

  /** Notes that the collector found a handle whose owner is gone; called before it is closed. */
  static void found(NativeRef ref, boolean unscoped) {
    if (!unscoped) {
      return;
    }
    COLLECTED.incrementAndGet();
    if (TRACE) {
      System.err.println(
          "LEAK: "
              + Engine.describe(ref.handle)
              + " was never closed and belonged to no scope; made at "
              + (ref.origin == null ? "an unknown place" : ref.origin));
    }
  }
}
