package org.onetape.data;

import org.onetape.SizeTOptional;
import org.onetape.Value;

/** A {@link ChunkDataset} that several threads may use. */
public abstract class ChunkBatchSharedBatchDataset extends Value {
  final ChunkDataset dataset;

  ChunkBatchSharedBatchDataset(ChunkDataset dataset) {
    this.dataset = dataset;
  }

  /** The same dataset with its batches made into one example. */
  public ChunkMapDataset map(ExampleStack stack) {
    return new ChunkMapDataset(this, stack);
  }

  /** The next examples of the pass; nothing at its end. */
  public ExampleVectorOptional get_batch(long count) {
    return dataset.get_batch(count);
  }

  /** Starts another pass. */
  public void reset() {
    dataset.reset();
  }

  /** Nothing: how many examples there are is not known before they are read. */
  public SizeTOptional size() {
    return dataset.size();
  }

  /** The dataset itself. */
  public ChunkDataset access() {
    return dataset;
  }

  /** The dataset itself. */
  public ChunkDataset multiply() {
    return dataset;
  }
}
