package org.onetape;

/** An argument has a type that the operation does not take. */
public class TypeException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /** With a message. */
  public TypeException(String message) {
    super(message);
  }
}
