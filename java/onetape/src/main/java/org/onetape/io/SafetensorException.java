package org.onetape.io;

import org.onetape.TorchException;

/** A safetensors file is damaged, or holds what there is not. */
public final class SafetensorException extends TorchException {
  private static final long serialVersionUID = 1L;

  /** With a message. */
  public SafetensorException(String message) {
    super(message);
  }
}
