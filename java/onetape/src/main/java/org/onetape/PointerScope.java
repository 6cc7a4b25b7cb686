package org.onetape;

import org.onetape.internal.RefList;

/** A {@link MemoryScope} under the name that other projects use. */
public class PointerScope extends MemoryScope {
  /** Opens a scope inside the one that is innermost now. */
  public PointerScope() {}

  /** The innermost scope that this thread has open, or null. */
  public static MemoryScope getInnerScope() {
    return (MemoryScope) RefList.current().scope();
  }

  /** Closes the scope. */
  public void deallocate() {
    close();
  }
}
