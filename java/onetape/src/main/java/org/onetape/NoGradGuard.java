package org.onetape;

/**
 * Operators are not recorded in this thread until the guard is closed.
 *
 * <pre>{@code
 * try (NoGradGuard guard = new NoGradGuard()) {
 *   weight.sub_(weight.grad().mul(rate));
 * }
 * }</pre>
 *
 * <p>Guards may be nested. One that is not closed is closed by the {@link MemoryScope} around it.
 */
public final class NoGradGuard extends AutoGradMode {
  /** Stops recording. */
  public NoGradGuard() {
    super(false);
  }
}
