package org.onetape.distributed;

import org.onetape.TorchException;

/**
 * Something went wrong between processes: another one cannot be reached, does not come in time, has
 * gone, or makes another call. The message says which rank and which operation.
 */
public class DistributedException extends TorchException {
  private static final long serialVersionUID = 1L;

  /** With a message. */
  public DistributedException(String message) {
    super(message);
  }

  /** With a message and a cause. */
  public DistributedException(String message, Throwable cause) {
    super(message, cause);
  }
}
