package org.onetape.data;

import org.onetape.SizeTOptional;
import org.onetape.Value;

/** A {@link ChunkDataset} whose batches are made into one example. */
public final class ChunkMapDataset extends Value {
  private final ChunkBatchSharedBatchDataset dataset;
  private final ExampleStack stack;

  /** Batches of a dataset, stacked. */
  public ChunkMapDataset(ChunkBatchSharedBatchDataset dataset, ExampleStack stack) {
    this.dataset = dataset;
    this.stack = stack;
  }

  /** The dataset itself. */
  public ChunkBatchSharedBatchDataset dataset() {
    return dataset;
  }

  /** What makes the batches. */
  public ExampleStack transform() {
    return stack;
  }

  /** Nothing: how many examples there are is not known before they are read. */
  public SizeTOptional size() {
    return dataset.size();
  }

  /** The next batch of a pass; null at the end. */
  Example next(long pass) {
    ExampleVectorOptional examples = dataset.access().next(pass);
    return examples.has_value() ? stack.apply_batch(examples.get()) : null;
  }
}
