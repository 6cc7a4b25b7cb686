package org.onetape.io;

import org.onetape.TorchException;

/** A file holds what is not loaded from files, or is damaged. */
public final class UnpicklingException extends TorchException {
  private static final long serialVersionUID = 1L;

  /** With a message. */
  public UnpicklingException(String message) {
    super(message);
  }
}
