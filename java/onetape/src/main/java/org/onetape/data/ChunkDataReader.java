package org.onetape.data;

import org.onetape.Value;

/** Reads examples in chunks, such as files; programs have their own. */
public abstract class ChunkDataReader extends Value {
  /** For subclasses. */
  protected ChunkDataReader() {}

  /** The examples of a chunk. */
  public abstract ExampleVector read_chunk(long chunk);

  /** How many chunks there are. */
  public abstract long chunk_count();

  /** Called before every pass. */
  public abstract void reset();
}
