package org.onetape;

/** Sees the gradients that a node of the graph is about to be given. */
@FunctionalInterface
public interface NodePreHook {
  /**
   * Called before the node runs.
   *
   * @param gradOutputs the gradients of the operator's results; undefined for none
   * @return as many gradients to use instead; null to leave them
   */
  Tensor[] apply(Tensor[] gradOutputs);
}
