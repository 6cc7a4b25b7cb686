package org.onetape.internal;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** The last graph that a training gave to its live view, and who waits for the next. */
public final class GraphNews {
  private static final long LONGEST_WAIT = TimeUnit.SECONDS.toNanos(10);
  private static final long LOOKED_AT = TimeUnit.SECONDS.toNanos(15);

  private volatile boolean wanted;
  private long version;
  private byte[] body = new byte[0];
  private long asked = System.nanoTime() - LOOKED_AT;
  private boolean closed;

  /** Whether somebody waits for a graph. */
  public boolean isWanted() {
    return wanted;
  }

  /** Whether somebody waits, or has asked until some seconds ago. */
  public synchronized boolean isLookedAt() {
    return !closed && (wanted || System.nanoTime() - asked < LOOKED_AT);
  }

  /** The graph of a step, in JSON. */
  public synchronized void put(long step, String graph) {
    wanted = false;
    ++version;
    String text = "{\"version\":" + version + ",\"step\":" + step + ",\"graph\":" + graph + "}";
    body = text.getBytes(StandardCharsets.UTF_8);
    notifyAll();
  }

  /** The last graph if it is newer than a version, else null; waits a while for one. */
  public synchronized byte[] after(long seen) {
    long until = System.nanoTime() + LONGEST_WAIT;
    for (long left = LONGEST_WAIT;
        version <= seen && !closed && left > 0;
        left = until - System.nanoTime()) {
      asked = System.nanoTime();
      wanted = true;
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return null;
      }
    }
    asked = System.nanoTime();
    return version > seen ? body : null;
  }

  /** Ends all waiting. */
  public synchronized void close() {
    closed = true;
    wanted = false;
    notifyAll();
  }
}
