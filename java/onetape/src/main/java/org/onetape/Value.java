package org.onetape;

/**
 * A plain Java object where the native libraries of other projects keep one in native memory.
 *
 * <p>It holds nothing that has to be released. {@link #close()} is there so that programs which
 * release such objects by hand, or in a {@code try} statement, compile and run unchanged.
 */
public abstract class Value implements AutoCloseable {
  /** For subclasses. */
  protected Value() {}

  /** Returns false: a value always holds something. */
  public boolean isNull() {
    return false;
  }

  /** Does nothing, since there is no native memory behind this object. */
  @Override
  public void close() {}

  /** Does nothing, like {@link #close()}. */
  public final void deallocate() {
    close();
  }
}
