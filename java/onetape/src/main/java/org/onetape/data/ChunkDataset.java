package org.onetape.data;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.onetape.SizeTOptional;
import org.onetape.SizeTVector;
import org.onetape.SizeTVectorOptional;
import org.onetape.Value;

/**
 * Examples of chunks: the chunks come in the order of one sampler, the examples of each, or of some
 * chunks together, in that of another.
 */
public final class ChunkDataset extends Value {
  private final ChunkDataReader reader;
  private final Sampler chunkSampler;
  private final Sampler exampleSampler;
  private final ChunkDatasetOptions options;
  private final Deque<Example> waiting = new ArrayDeque<>(); // belong to no scope
  private long pass; // 0 before the first

  /** Reads with a reader. The samplers are told the sizes when those are known. */
  public ChunkDataset(
      ChunkDataReader reader,
      Sampler chunkSampler,
      Sampler exampleSampler,
      ChunkDatasetOptions options) {
    this.reader = reader;
    this.chunkSampler = chunkSampler;
    this.exampleSampler = exampleSampler;
    this.options = options;
  }

  /** Starts another pass. */
  public synchronized void reset() {
    drop();
    reader.reset();
    chunkSampler.reset(new SizeTOptional(reader.chunk_count()));
    pass++;
  }

  private void drop() {
    waiting.forEach(Example::close);
    waiting.clear();
  }

  /** The next batch of the size in the options; see {@link #get_batch(long)}. */
  public ExampleVectorOptional get_batch() {
    return get_batch(options.batch_size().get());
  }

  /**
   * The next examples of the pass; nothing at its end.
   *
   * @throws IllegalArgumentException if another number than the options' is asked for
   * @throws IllegalStateException before the first {@link #reset()}
   */
  public synchronized ExampleVectorOptional get_batch(long count) {
    if (count != options.batch_size().get()) {
      throw new IllegalArgumentException(
          "The requested batch size does not match with the initialized batch size.\n"
              + " The requested batch size is "
              + count
              + ", while the dataset is created with batch size equal to "
              + options.batch_size().get());
    }
    if (pass == 0) {
      throw new IllegalStateException("Dataset needs to call reset() before calling get_batch().");
    }
    while (waiting.size() < count && readMore()) {
      // the next chunks
    }
    if (waiting.isEmpty()) {
      return new ExampleVectorOptional();
    }
    ExampleVector batch = new ExampleVector();
    while (batch.size() < count && !waiting.isEmpty()) {
      batch.push_back(waiting.poll());
    }
    batch.adopt();
    return new ExampleVectorOptional(batch);
  }

  private boolean readMore() {
    SizeTVectorOptional chunks = chunkSampler.next(options.cross_chunk_shuffle_count().get());
    if (!chunks.has_value()) {
      return false;
    }
    List<Example> examples = new ArrayList<>();
    for (long chunk : chunks.get().get()) {
      for (Example example : reader.read_chunk(chunk)) {
        examples.add(example.unscoped());
      }
    }
    if (!examples.isEmpty()) {
      exampleSampler.reset(new SizeTOptional(examples.size()));
      SizeTVector order = exampleSampler.next(examples.size()).get();
      for (long i : order.get()) {
        waiting.add(examples.get(Math.toIntExact(i)));
      }
    }
    return true;
  }

  /** Nothing: how many examples there are is not known before they are read. */
  public SizeTOptional size() {
    return new SizeTOptional();
  }

  /** The sampler of the chunks. */
  public Sampler chunk_sampler() {
    return chunkSampler;
  }

  synchronized long pass() {
    return pass;
  }

  /** The next batch of a pass; nothing at its end and when another one has started. */
  synchronized ExampleVectorOptional next(long ofPass) {
    return ofPass == pass ? get_batch() : new ExampleVectorOptional();
  }

  ChunkDatasetOptions options() {
    return options;
  }

  /** Lets go of the examples that were read ahead. */
  @Override
  public synchronized void close() {
    drop();
  }
}
