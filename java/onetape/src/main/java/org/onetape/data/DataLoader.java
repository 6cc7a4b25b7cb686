package org.onetape.data;

import java.util.Collections;
import java.util.Iterator;
import java.util.Objects;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.onetape.MemoryScope;
import org.onetape.Tensor;

/**
 * Iterates over a dataset in batches, which worker threads may make ahead.
 *
 * <pre>{@code
 * DataLoaderOptions options = new DataLoaderOptions(32).shuffle(true).workers(2);
 * try (DataLoader<Example> loader = new DataLoader<>(new TensorDataset(x, y), options)) {
 *   loader.forEach(batch -> train(batch.data(), batch.target()));
 * }
 * }</pre>
 *
 * <p>A batch belongs to the scope that is open where {@code next()} is called; {@link #forEach}
 * opens one for each. The same seed gives the same order as in Python. Closing the loader ends the
 * workers of all its passes; so does the garbage collector when a pass that was left early is
 * unreachable.
 *
 * <p>An exception of the dataset comes as a {@link DataLoaderException} that names the sample; the
 * pass can go on behind it.
 *
 * @param <T> the samples
 */
public final class DataLoader<T> implements Iterable<Batch>, AutoCloseable {
  private final Dataset<T> dataset; // null over a stream
  private final IterableDataset<T> stream;
  private final Sampler sampler;
  private final DataLoaderOptions options;
  private final Set<Pass<?>> passes = Collections.newSetFromMap(new WeakHashMap<>());
  private Collation<T> collation; // null for the standard one

  /** Batches of one sample in the dataset's order. */
  public DataLoader(Dataset<T> dataset) {
    this(dataset, new DataLoaderOptions());
  }

  /**
   * Batches of a dataset, in its order or a random one as the options say.
   *
   * @throws IllegalArgumentException if an option is out of range
   */
  public DataLoader(Dataset<T> dataset, DataLoaderOptions options) {
    this(dataset, sampler(dataset, options), options, false);
  }

  /**
   * Batches of a dataset in a sampler's order.
   *
   * @throws IllegalArgumentException if an option is out of range, or also asks for an order
   */
  public DataLoader(Dataset<T> dataset, Sampler sampler, DataLoaderOptions options) {
    this(dataset, sampler, options, options.shuffle());
  }

  private DataLoader(
      Dataset<T> dataset, Sampler sampler, DataLoaderOptions options, boolean twoOrders) {
    if (twoOrders) {
      throw new IllegalArgumentException("sampler option is mutually exclusive with shuffle");
    }
    options.plan();
    this.dataset = Objects.requireNonNull(dataset, "dataset");
    this.sampler = Objects.requireNonNull(sampler, "sampler");
    this.options = options;
    stream = null;
  }

  /**
   * Batches of a stream.
   *
   * @throws IllegalArgumentException if an option is out of range, or asks for an order
   */
  public DataLoader(IterableDataset<T> stream, DataLoaderOptions options) {
    if (options.shuffle()) {
      throw new IllegalArgumentException(
          "DataLoader with IterableDataset: expected unspecified shuffle option, but got"
              + " shuffle=true");
    }
    options.plan();
    this.stream = Objects.requireNonNull(stream, "stream");
    this.options = options;
    dataset = null;
    sampler = null;
  }

  private static Sampler sampler(Dataset<?> dataset, DataLoaderOptions options) {
    return options.shuffle()
        ? new RandomSampler(dataset, options.generator())
        : new SequentialSampler(dataset);
  }

  /** Sets how samples are put together, in place of {@link Collation#standard}; returns this. */
  public DataLoader<T> collation(Collation<T> wanted) {
    collation = wanted;
    return this;
  }

  /**
   * The number of batches in a pass.
   *
   * @throws UnsupportedOperationException over a stream, whose length is not known
   */
  public long size() {
    if (sampler == null) {
      throw new UnsupportedOperationException("DataLoader: the length of a stream is not known");
    }
    DataLoaderOptions.Plan plan = options.plan();
    return new BatchSampler(sampler, plan.batchSize, plan.dropLast).size();
  }

  /** The batches of a pass. */
  @Override
  public Iterator<Batch> iterator() {
    return pass();
  }

  private Pass<Batch> pass() {
    DataLoaderOptions.Plan plan = options.plan();
    long seed = Draws.seed(options.generator());
    Iterator<long[]> indices =
        sampler == null
            ? Stream.generate(() -> new long[(int) plan.batchSize]).iterator()
            : new BatchSampler(sampler, plan.batchSize, plan.dropLast).iterator();
    Pass<Batch> pass = new Pass<>(indices, Cargo.BATCH, plan, seed, fetchers(plan));
    synchronized (passes) {
      passes.add(pass);
    }
    return pass;
  }

  private Supplier<Fetcher<Batch>> fetchers(DataLoaderOptions.Plan plan) {
    Collation<T> chosen = collation == null ? Collation::standard : collation;
    Function<Tensor[], Batch> together = collation == null ? Batch::of : null;
    Dataset<T> from = dataset;
    IterableDataset<T> fromStream = stream;
    boolean dropLast = plan.dropLast;
    return () ->
        from == null
            ? Fetcher.of(fromStream, dropLast, chosen::collate)
            : Fetcher.of(from, together, chosen::collate);
  }

  /** Does something with every batch of a pass, each in a scope of its own. */
  @Override
  public void forEach(Consumer<? super Batch> action) {
    try (Pass<Batch> pass = pass()) {
      while (pass.hasNext()) {
        try (MemoryScope scope = new MemoryScope()) {
          action.accept(pass.next());
        }
      }
    }
  }

  /** The batches of a pass; closing the stream ends the workers. */
  public Stream<Batch> stream() {
    Pass<Batch> pass = pass();
    Spliterator<Batch> batches =
        Spliterators.spliteratorUnknownSize(pass, Spliterator.ORDERED | Spliterator.NONNULL);
    return StreamSupport.stream(batches, false).onClose(pass::close);
  }

  /** Ends the workers of all passes; a new pass starts new ones. */
  @Override
  public void close() {
    synchronized (passes) {
      passes.forEach(Pass::close);
      passes.clear();
    }
  }
}
