package org.onetape.distributed;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.onetape.internal.Groups;

/**
 * An operation of a group that is on its way. It goes on, and keeps its tensors, whether anybody
 * waits for it or not.
 */
public final class Work {
  /** How often a thread that waits looks whether it was interrupted. */
  private static final long LOOK = 100;

  private final long handle;

  Work(long handle) {
    this.handle = handle;
    Groups.owned(this, handle, Groups.WORK);
  }

  /** Is it done, well or not? */
  public boolean isCompleted() {
    try {
      return Groups.await(handle, 0);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /**
   * Waits for the end.
   *
   * @throws DistributedException what the operation failed with; also if this thread is
   *     interrupted, but then the operation goes on
   */
  public void await() {
    if (!waitUntil(Long.MAX_VALUE)) {
      throw new IllegalStateException("a wait without an end has ended");
    }
  }

  /**
   * Waits for the end, not longer than the timeout.
   *
   * @throws DistributedException what the operation failed with; also at the timeout and if this
   *     thread is interrupted, but then the operation goes on
   */
  public void await(Duration timeout) {
    if (!waitUntil(System.nanoTime() + timeout.toNanos())) {
      throw new DistributedException("Operation timed out!");
    }
  }

  private boolean waitUntil(long end) {
    try {
      while (true) {
        long left = end == Long.MAX_VALUE ? LOOK : (end - System.nanoTime()) / 1_000_000;
        if (Groups.await(handle, Math.max(0, Math.min(left, LOOK)))) {
          Groups.rethrow(handle);
          return true;
        }
        if (Thread.interrupted()) {
          Thread.currentThread().interrupt();
          throw new DistributedException(
              "interrupted while waiting for " + Groups.operation(handle));
        }
        if (left <= 0) {
          return false;
        }
      }
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /** Of a receive that is done: the rank in the group of who sent. */
  public int sourceRank() {
    try {
      return Groups.source(handle);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /**
   * A future that is completed when the operation is, with this object or with what it failed with.
   */
  public CompletableFuture<Work> future() {
    CompletableFuture<Work> future = new CompletableFuture<>();
    Groups.then(
        handle,
        () -> {
          try {
            Groups.rethrow(handle);
            future.complete(this);
          } catch (RuntimeException e) {
            future.completeExceptionally(e);
          }
        });
    return future;
  }
}
