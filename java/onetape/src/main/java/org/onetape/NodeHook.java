package org.onetape;

/** Sees the gradients that a node of the graph computed. */
@FunctionalInterface
public interface NodeHook {
  /**
   * Called after the node ran.
   *
   * @param gradInputs the gradients of the operator's inputs, which the node computed; undefined
   *     for none
   * @param gradOutputs the gradients of its results
   * @return as many gradients to use instead of gradInputs; null to leave them
   */
  Tensor[] apply(Tensor[] gradInputs, Tensor[] gradOutputs);
}
