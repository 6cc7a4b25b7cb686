package org.onetape.data;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Supplier;
import org.onetape.SizeTVectorOptional;
import org.onetape.Value;

/**
 * What the loaders have in common that give iterators.
 *
 * @param <R> the batches
 */
abstract class LoaderBase<R> extends Value {
  private final Sampler sampler; // null over a source that has its own order
  private final DataLoaderOptions options;
  private final Cargo<R> cargo;
  private final Supplier<Fetcher<R>> fetchers;
  private Pass<R> pass;

  LoaderBase(
      Sampler sampler, DataLoaderOptions options, Cargo<R> cargo, Supplier<Fetcher<R>> fetchers) {
    options.plan();
    this.sampler = sampler;
    this.options = options;
    this.cargo = cargo;
    this.fetchers = fetchers;
  }

  /** How many workers a pass has. */
  long workers() {
    return options.workers().get();
  }

  /** Starts a pass; an earlier one ends. */
  final Pass<R> start() {
    close();
    if (sampler != null) {
      sampler.reset();
    }
    DataLoaderOptions now =
        new DataLoaderOptions(options.batch_size().get())
            .workers(workers())
            .enforce_ordering(options.enforce_ordering().get())
            .drop_last(options.drop_last().get())
            .timeout(options.timeout());
    if (options.max_jobs().has_value()) {
      now.max_jobs(options.max_jobs().get());
    }
    DataLoaderOptions.Plan plan = now.plan();
    pass = new Pass<>(new Portions(plan), cargo, plan, 0, fetchers);
    return pass;
  }

  /** How the loader works. */
  public DataLoaderOptions options() {
    return options;
  }

  /** Ends the pass that is going on. */
  public void join() {
    close();
  }

  /** Ends the pass that is going on. */
  @Override
  public void close() {
    if (pass != null) {
      pass.close();
    }
  }

  /** The indices of a pass in portions. */
  private final class Portions implements Iterator<long[]> {
    private final long batchSize;
    private final boolean dropLast;
    private long[] next;

    Portions(DataLoaderOptions.Plan plan) {
      batchSize = plan.batchSize;
      dropLast = plan.dropLast;
    }

    @Override
    public boolean hasNext() {
      if (next == null && sampler == null) {
        next = new long[(int) batchSize];
      } else if (next == null) {
        SizeTVectorOptional taken = sampler.next(batchSize);
        boolean enough = taken.has_value() && taken.get().size() >= (dropLast ? batchSize : 1);
        next = enough ? taken.get().get() : null;
      }
      return next != null;
    }

    @Override
    public long[] next() {
      if (!hasNext()) {
        throw new NoSuchElementException("no more indices");
      }
      long[] taken = next;
      next = null;
      return taken;
    }
  }
}
