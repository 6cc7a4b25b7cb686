package org.onetape.io;

/** What is wrong with an archive. */
final class ArchiveException extends Exception {
  private static final long serialVersionUID = 1L;

  ArchiveException(String message) {
    super(message);
  }
}
