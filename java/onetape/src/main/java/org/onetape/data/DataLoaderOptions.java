package org.onetape.data;

import java.time.Duration;
import java.util.Objects;
import org.onetape.BoolPointer;
import org.onetape.Generator;
import org.onetape.SizeTOptional;
import org.onetape.SizeTPointer;
import org.onetape.Value;

/** How a loader works. */
public final class DataLoaderOptions extends Value {
  private final SizeTPointer batchSize = number(1);
  private final SizeTPointer workers = number(0);
  private final SizeTOptional maxJobs = new SizeTOptional();
  private final BoolPointer enforceOrdering = new BoolPointer(true);
  private final BoolPointer dropLast = new BoolPointer(false);
  private Duration timeout = Duration.ZERO;
  private boolean shuffle;
  private Generator generator;

  /** Batches of one sample, made in the caller's thread. */
  public DataLoaderOptions() {}

  /** Batches of a size, made in the caller's thread. */
  public DataLoaderOptions(long batchSize) {
    this.batchSize.put(batchSize);
  }

  private static SizeTPointer number(long value) {
    SizeTPointer number = new SizeTPointer(1);
    number.put(value);
    return number;
  }

  /** The samples in a batch. */
  public SizeTPointer batch_size() {
    return batchSize;
  }

  /** Sets the samples in a batch; returns this. */
  public DataLoaderOptions batch_size(long size) {
    batchSize.put(size);
    return this;
  }

  /** The threads that make batches ahead; 0 makes them when asked. */
  public SizeTPointer workers() {
    return workers;
  }

  /** Sets the threads that make batches ahead; returns this. */
  public DataLoaderOptions workers(long count) {
    workers.put(count);
    return this;
  }

  /** The batches made ahead; two for each worker if not said. */
  public SizeTOptional max_jobs() {
    return maxJobs;
  }

  /** Sets the batches made ahead; returns this. */
  public DataLoaderOptions max_jobs(long count) {
    maxJobs.put(count);
    return this;
  }

  /** How long a batch may take in a worker; any time if zero. */
  public Duration timeout() {
    return timeout;
  }

  /** Sets how long a batch may take in a worker; returns this. */
  public DataLoaderOptions timeout(Duration time) {
    timeout = Objects.requireNonNull(time, "timeout");
    return this;
  }

  /** Whether batches come in the sampler's order also if a later one is ready sooner. */
  public BoolPointer enforce_ordering() {
    return enforceOrdering;
  }

  /** Sets whether batches come in the sampler's order; returns this. */
  public DataLoaderOptions enforce_ordering(boolean wanted) {
    enforceOrdering.put(wanted);
    return this;
  }

  /** Whether a last batch that is too small is left out. */
  public BoolPointer drop_last() {
    return dropLast;
  }

  /** Sets whether a last batch that is too small is left out; returns this. */
  public DataLoaderOptions drop_last(boolean wanted) {
    dropLast.put(wanted);
    return this;
  }

  /** Whether every pass has a random order of its own. */
  public boolean shuffle() {
    return shuffle;
  }

  /** Sets whether every pass has a random order of its own; returns this. */
  public DataLoaderOptions shuffle(boolean wanted) {
    shuffle = wanted;
    return this;
  }

  /** Where the order and the workers' seeds come from; null for the default generator. */
  public Generator generator() {
    return generator;
  }

  /** Sets where the order and the workers' seeds come from; returns this. */
  public DataLoaderOptions generator(Generator wanted) {
    generator = wanted;
    return this;
  }

  /** What a pass takes of the options, after a check. */
  Plan plan() {
    return new Plan(
        batchSize.get(),
        workers.get(),
        maxJobs.has_value() ? maxJobs.get() : 2 * workers.get(),
        timeout,
        enforceOrdering.get(),
        dropLast.get());
  }

  /** Options that no longer change. */
  static final class Plan {
    /** More threads than anybody can mean. */
    private static final long MOST_WORKERS = 4096;

    final long batchSize;
    final int workers;
    final int ahead;
    final long timeoutNanos;
    final boolean inOrder;
    final boolean dropLast;

    Plan(
        long batchSize,
        long workers,
        long ahead,
        Duration timeout,
        boolean inOrder,
        boolean dropLast) {
      check(batchSize > 0 && batchSize <= Integer.MAX_VALUE, "batch_size", batchSize);
      check(workers >= 0 && workers <= MOST_WORKERS, "workers", workers);
      check(workers == 0 || (ahead > 0 && ahead <= Integer.MAX_VALUE), "max_jobs", ahead);
      check(!timeout.isNegative(), "timeout", timeout);
      this.batchSize = batchSize;
      this.workers = (int) workers;
      this.ahead = (int) ahead;
      this.timeoutNanos = timeout.toNanos();
      this.inOrder = inOrder;
      this.dropLast = dropLast;
    }

    private static void check(boolean allowed, String option, Object value) {
      if (!allowed) {
        throw new IllegalArgumentException(
            "DataLoaderOptions: " + option + " is out of range: " + value);
      }
    }
  }
}
