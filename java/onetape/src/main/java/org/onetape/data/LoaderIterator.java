package org.onetape.data;

import java.util.NoSuchElementException;
import org.onetape.Value;

/**
 * A place in a pass: what {@code begin()} and {@code end()} of the loaders give.
 *
 * @param <R> the batches
 */
abstract class LoaderIterator<R> extends Value {
  private final Pass<R> pass; // null for the end
  private final Cargo<R> cargo;
  private R current; // belongs to no scope
  private boolean ended;

  LoaderIterator(Pass<R> pass, Cargo<R> cargo) {
    this.pass = pass;
    this.cargo = cargo;
    ended = pass == null;
  }

  private boolean atEnd() {
    if (current == null && !ended) {
      ended = !pass.hasNext();
      current = ended ? null : cargo.unscoped(pass.next());
    }
    return ended;
  }

  final R here() {
    if (atEnd()) {
      throw new NoSuchElementException("the end of the pass");
    }
    return cargo.adopted(cargo.unscoped(current));
  }

  final void step() {
    here();
    cargo.close(current);
    current = null;
  }

  final boolean same(LoaderIterator<R> other) {
    return other == this || (other != null && atEnd() && other.atEnd());
  }
}
