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

  /** These samples and then another stream's. */
  default IterableDataset<T> concat(IterableDataset<? extends T> other) {
    return () -> {
      Iterator<T> first = iterator();
      return new Iterator<T>() {
        private Iterator<? extends T> second; // asked for when the first has ended

        private Iterator<? extends T> current() {
          if (second == null && !first.hasNext()) {
            second = other.iterator();
          }
          return second == null ? first : second;
        }

        @Override
        public boolean hasNext() {
          return current().hasNext();
        }

        @Override
        public T next() {
          return current().next();
        }
      };
    };
  }
}
