package org.onetape;

/**
 * There is not enough native memory for a tensor.
 *
 * <p>The operation had no effect and the program can go on. What helps: close scopes earlier, work
 * on smaller batches, or look with {@code -Donetape.leaks=trace} for tensors that are never closed.
 */
public class OutOfNativeMemoryException extends TorchException {
  private static final long serialVersionUID = 1L;

  /** With a message. */
  public OutOfNativeMemoryException(String message) {
    super(message);
  }
}
