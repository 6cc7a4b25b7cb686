package org.onetape.data;

import java.lang.ref.Cleaner;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Supplier;
import org.onetape.data.Workers.Result;

/**
 * One pass over a dataset.
 *
 * <p>Tasks are numbered and go to the workers in turn; results wait until their number is up. With
 * no workers they are fetched when asked for.
 *
 * @param <R> the results
 */
final class Pass<R> implements Iterator<R>, AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();

  private final Iterator<long[]> indices;
  private final Cargo<R> cargo;
  private final DataLoaderOptions.Plan plan;
  private final Fetcher<R> fetcher; // without workers
  private final Workers<R> workers;
  private final Cleaner.Cleanable cleanable;

  private final Map<Long, Integer> tasks = new HashMap<>(); // number -> worker
  private final Map<Long, Result<R>> results = new HashMap<>();
  private final boolean[] active;
  private final int[] load;
  private int turn;
  private long number; // of the next task
  private long due; // the number of the next result
  private Result<R> next;
  private boolean ended;

  Pass(
      Iterator<long[]> indices,
      Cargo<R> cargo,
      DataLoaderOptions.Plan plan,
      long seed,
      Supplier<Fetcher<R>> fetchers) {
    this.indices = indices;
    this.cargo = cargo;
    this.plan = plan;
    active = new boolean[plan.workers];
    load = new int[plan.workers];
    Arrays.fill(active, true);
    if (plan.workers == 0) {
      fetcher = fetchers.get();
      workers = null;
      cleanable = null;
      return;
    }
    fetcher = null;
    workers = new Workers<>(plan.workers, seed, cargo, fetchers);
    cleanable = CLEANER.register(this, workers);
    try {
      for (int i = 0; i < plan.ahead; i++) {
        giveTask();
      }
    } catch (RuntimeException e) { // from the sampler
      close();
      throw e;
    }
  }

  private int choose() {
    int chosen = -1;
    for (int i = 0; i < active.length; i++) {
      int worker = (turn + i) % active.length;
      if (active[worker] && (chosen < 0 || (!plan.inOrder && load[worker] < load[chosen]))) {
        chosen = worker;
      }
    }
    return chosen;
  }

  private void giveTask() {
    int worker = choose();
    if (worker < 0 || !indices.hasNext()) {
      return;
    }
    turn = (worker + 1) % active.length;
    load[worker]++;
    tasks.put(number, worker);
    workers.give(worker, number++, indices.next());
  }

  private void takeResult() {
    Result<R> result;
    try {
      result = workers.take(plan.timeoutNanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DataLoaderException("interrupted while waiting for a batch", e);
    }
    if (result == null) {
      throw new DataLoaderException(
          "DataLoader timed out after " + plan.timeoutNanos / 1e9 + " seconds", null);
    }
    tasks.remove(result.number);
    load[result.worker]--;
    if (result.isEnd()) {
      active[result.worker] = false;
      giveTask();
    } else {
      results.put(result.number, result);
    }
  }

  /** The result to be given now, if it is there. */
  private Result<R> ready() {
    if (!plan.inOrder) {
      Iterator<Long> any = results.keySet().iterator();
      return any.hasNext() ? results.remove(any.next()) : null;
    }
    while (due < number && !tasks.containsKey(due)) {
      Result<R> result = results.remove(due++);
      if (result != null) {
        return result;
      }
    }
    return null;
  }

  private Result<R> fetchNext() {
    if (workers == null) {
      if (!indices.hasNext()) {
        return null;
      }
      Result<R> result = Workers.fetch(cargo, fetcher, number++, indices.next(), null);
      return result.isEnd() ? null : result;
    }
    Result<R> result = ready();
    while (result == null && !tasks.isEmpty()) {
      takeResult();
      result = ready();
    }
    if (result != null) {
      giveTask();
    }
    return result;
  }

  @Override
  public boolean hasNext() {
    if (next == null && !ended) {
      next = fetchNext();
      if (next == null) {
        close();
      }
    }
    return next != null;
  }

  /**
   * The next result, which belongs to the caller's scope.
   *
   * @throws DataLoaderException if it could not be made
   */
  @Override
  public R next() {
    if (!hasNext()) {
      throw new NoSuchElementException("no more batches");
    }
    Result<R> result = next;
    next = null;
    if (result.error != null) {
      throw result.error;
    }
    return cargo.adopted(result.value);
  }

  /** Ends the workers and lets go of what was fetched ahead. */
  @Override
  public void close() {
    ended = true;
    if (next != null && next.value != null) {
      cargo.close(next.value);
    }
    next = null;
    for (Result<R> left : results.values()) {
      if (left.value != null) {
        cargo.close(left.value);
      }
    }
    results.clear();
    tasks.clear();
    if (cleanable != null) {
      cleanable.clean();
    }
  }
}
