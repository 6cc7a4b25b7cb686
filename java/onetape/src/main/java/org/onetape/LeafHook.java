package org.onetape;

/** Sees a leaf after a gradient was added to its {@code grad}. */
@FunctionalInterface
public interface LeafHook {
  /** Called with the leaf, in the thread that runs the backward pass. */
  void accept(Tensor leaf);
}
