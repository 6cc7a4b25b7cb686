package org.onetape.profiler;

import java.util.function.Supplier;
import org.onetape.internal.Profiling;

/**
 * Names a block in the profiles that are recorded meanwhile.
 *
 * <pre>{@code
 * try (RecordFunction named = new RecordFunction("forward")) {
 *   loss = lossOf(net.forward(x), y);
 * }
 * }</pre>
 *
 * <p>Where nobody profiles the thread it does nothing. It is to be closed in the thread that made
 * it.
 */
public final class RecordFunction implements AutoCloseable {
  private long span;

  /** The block begins. */
  public RecordFunction(String name) {
    if (name == null) {
      throw new IllegalArgumentException("a block has a name, not null");
    }
    span = Profiling.open(name);
  }

  /** The block ends; closing again does nothing. */
  @Override
  public void close() {
    long open = span;
    span = 0;
    if (open != 0) {
      Profiling.close(open);
    }
  }

  /** Calls a function as a block with a name. */
  public static <T> T of(String name, Supplier<T> body) {
    try (RecordFunction named = new RecordFunction(name)) {
      return body.get();
    }
  }
}
