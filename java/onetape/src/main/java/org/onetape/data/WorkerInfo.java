package org.onetape.data;

import java.util.Random;
import org.onetape.Generator;

/** A worker thread of a loader, as seen from inside. */
public final class WorkerInfo {
  private static final ThreadLocal<WorkerInfo> CURRENT = new ThreadLocal<>();

  private final int id;
  private final int numWorkers;
  private final long seed;
  private final Random random;
  private final Generator generator;

  WorkerInfo(int id, int numWorkers, long seed) {
    this.id = id;
    this.numWorkers = numWorkers;
    this.seed = seed;
    random = new Random(seed);
    generator = new Generator(seed);
  }

  void enter() {
    CURRENT.set(this);
  }

  /** The worker that the calling thread is; null in other threads. */
  public static WorkerInfo current() {
    return CURRENT.get();
  }

  /** The number of the worker, from 0 on. */
  public int id() {
    return id;
  }

  /** How many workers there are. */
  public int numWorkers() {
    return numWorkers;
  }

  /** Where the worker's random numbers start: the loader's seed plus the worker's number. */
  public long seed() {
    return seed;
  }

  /**
   * Random numbers of the worker's own; those of the default generator are shared by all threads.
   */
  public Random random() {
    return random;
  }

  /** A generator of the worker's own, for random tensors. */
  public Generator generator() {
    return generator;
  }
}
