package org.onetape.data;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.onetape.MemoryScope;

/**
 * Threads that fetch. What a consumer drops without closing is found by the collector, so nothing
 * in here refers to the consumer.
 *
 * @param <R> the results
 */
final class Workers<R> implements Runnable {
  private static final long[] END = {};

  private final Cargo<R> cargo;
  private final BlockingQueue<Result<R>> results = new LinkedBlockingQueue<>();
  private final BlockingQueue<Task>[] tasks;
  private volatile boolean closed;

  /** Indices to be fetched. */
  private static final class Task {
    final long number;
    final long[] indices;

    Task(long number, long[] indices) {
      this.number = number;
      this.indices = indices;
    }
  }

  /** What became of a task: a value, an error, or, with neither, the end of a stream. */
  static final class Result<R> {
    final long number;
    final int worker;
    final R value;
    final DataLoaderException error;

    Result(long number, int worker, R value, DataLoaderException error) {
      this.number = number;
      this.worker = worker;
      this.value = value;
      this.error = error;
    }

    boolean isEnd() {
      return value == null && error == null;
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  Workers(int count, long seed, Cargo<R> cargo, Supplier<Fetcher<R>> fetchers) {
    this.cargo = cargo;
    tasks = new BlockingQueue[count];
    for (int i = 0; i < count; i++) {
      tasks[i] = new LinkedBlockingQueue<>();
      int worker = i;
      Thread thread =
          new Thread(
              () -> work(new WorkerInfo(worker, count, seed + worker), fetchers.get()),
              "onetape-data-" + worker);
      thread.setDaemon(true);
      thread.start();
    }
  }

  /** Fetches in a scope of its own; the result belongs to none. */
  static <R> Result<R> fetch(
      Cargo<R> cargo, Fetcher<R> fetcher, long number, long[] indices, WorkerInfo worker) {
    int id = worker == null ? 0 : worker.id();
    try (MemoryScope scope = new MemoryScope()) {
      R value = fetcher.fetch(indices);
      return new Result<>(number, id, value == null ? null : cargo.unscoped(value), null);
    } catch (Throwable cause) { // an error, too, would end a thread without anybody noticing
      String where = worker == null ? "DataLoader" : "DataLoader worker thread " + id;
      String message =
          String.format(
              "Caught %s in %s at %s: %s",
              cause.getClass().getSimpleName(), where, fetcher.place(), cause.getMessage());
      return new Result<>(number, id, null, new DataLoaderException(message, cause));
    }
  }

  private void work(WorkerInfo info, Fetcher<R> fetcher) {
    info.enter();
    try {
      for (Task task = next(info); task != null; task = next(info)) {
        results.add(fetch(cargo, fetcher, task.number, task.indices, info));
        if (closed) {
          drop();
        }
      }
    } finally {
      info.generator().close();
    }
  }

  private Task next(WorkerInfo info) {
    while (true) {
      try {
        Task task = tasks[info.id()].take();
        return task.indices == END || closed ? null : task;
      } catch (InterruptedException e) {
        continue; // by the dataset's own doings: only a task ends a worker
      }
    }
  }

  /** Gives a worker a task. */
  void give(int worker, long number, long[] indices) {
    tasks[worker].add(new Task(number, indices));
  }

  /** A result; null if none comes in time. */
  Result<R> take(long nanos) throws InterruptedException {
    return nanos == 0 ? results.take() : results.poll(nanos, TimeUnit.NANOSECONDS);
  }

  private void drop() {
    for (Result<R> left = results.poll(); left != null; left = results.poll()) {
      if (left.value != null) {
        cargo.close(left.value);
      }
    }
  }

  /** Ends the threads when they have done what they are doing. */
  @Override
  public void run() {
    closed = true;
    for (BlockingQueue<Task> queue : tasks) {
      queue.clear();
      queue.add(new Task(-1, END));
    }
    drop();
  }
}
