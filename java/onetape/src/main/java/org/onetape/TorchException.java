package org.onetape;

/**
 * An operation could not be carried out, for a reason that has no exception class of its own in
 * Java: shapes that do not fit, a second pass over a freed graph, an unsupported device, and so on.
 */
public class TorchException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** With a message. */
  public TorchException(String message) {
    super(message);
  }

  /** With a message and a cause. */
  public TorchException(String message, Throwable cause) {
    super(message, cause);
  }
}
