package org.onetape.data;

import java.util.Iterator;

/**
 * Samples as a stream.
 *
 * <p>With several workers each asks for an iterator of its own: let it look at {@link
 * WorkerInfo#current()} and give its share only.
 *
 * @param <T> the samples
 */
@FunctionalInterface
public interface IterableDataset<T> extends Iterable<T> {
  /** The samples of a pass, or a worker's share of them. */
  @Override
  Iterator<T> iterator();
}
