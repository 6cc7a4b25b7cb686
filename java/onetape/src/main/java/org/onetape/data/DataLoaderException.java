package org.onetape.data;

import org.onetape.TorchException;

/**
 * A batch could not be made: the cause tells why, the message at which sample and in which worker.
 */
public final class DataLoaderException extends TorchException {
  private static final long serialVersionUID = 1L;

  DataLoaderException(String message, Throwable cause) {
    super(message, cause);
  }
}
