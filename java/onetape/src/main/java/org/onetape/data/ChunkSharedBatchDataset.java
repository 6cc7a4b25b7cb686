package org.onetape.data;

/** A {@link ChunkDataset} that several threads may use. */
public final class ChunkSharedBatchDataset extends ChunkBatchSharedBatchDataset {
  /** Shares a dataset. */
  public ChunkSharedBatchDataset(ChunkDataset dataset) {
    super(dataset);
  }
}
