package org.onetape;

import org.onetape.internal.Access;
import org.onetape.internal.Engine;
import org.onetape.internal.RefList;

/**
 * Forward mode: a level in which tensors may carry a tangent, and operators compute the tangents of
 * their results.
 *
 * <p>The tangent of a result is the derivative in the direction of the operands' tangents, the
 * product of the Jacobian with them:
 *
 * <pre>{@code
 * try (ForwardAD level = new ForwardAD()) {
 *   Tensor x = ForwardAD.makeDual(tensor(1.0, 2.0), tensor(1.0, 0.0));
 *   ForwardAD.Dual y = ForwardAD.unpackDual(x.mul(x).sum());
 *   System.out.println(y.primal() + " " + y.tangent()); // 5.0 2.0
 * }
 * }</pre>
 *
 * <p>It works for every operator that has a gradient, since the tangent is computed from the
 * gradient function; for a {@link Function} that overrides {@code jvp}; and through a backward
 * pass, for second derivatives. A level belongs to the thread that opened it. One that is not
 * closed is closed by the {@link MemoryScope} around it.
 */
public final class ForwardAD implements AutoCloseable {
  private final MemoryScope scope = (MemoryScope) RefList.current().scope();
  private final int level;
  private boolean closed;

  /**
   * Opens a level.
   *
   * @throws TorchException if one is open in this thread: they cannot be nested
   */
  @SuppressWarnings("this-escape") // the scope only keeps the reference
  public ForwardAD() {
    level = Engine.enterDualLevel();
    if (scope != null) {
      scope.attach((AutoCloseable) this);
    }
  }

  /** Whether a level is open in this thread. */
  public static boolean isOpen() {
    return Engine.dualLevel() >= 0;
  }

  /**
   * A view of a tensor, with a tangent of the same shape.
   *
   * @throws TorchException outside a level, for a tangent of another shape, or if one of the two
   *     has a tangent already
   * @throws IllegalArgumentException for tensors of whole numbers
   */
  public static Tensor makeDual(Tensor primal, Tensor tangent) {
    if (!isOpen()) {
      throw new TorchException(
          "Trying to create a dual Tensor for forward AD but no level exists, make sure to"
              + " enter_dual_level() first.");
    }
    check("primal", primal);
    check("tangent", tangent);
    return Access.tensor(Engine.makeDual(primal, tangent));
  }

  private static void check(String name, Tensor tensor) {
    if (!tensor.is_floating_point() && !tensor.is_complex()) {
      throw new IllegalArgumentException(
          "Expected " + name + " to be floating point or complex, but got: " + tensor.dtype());
    }
  }

  /** A view of a tensor without its tangent, and the tangent. */
  public static Dual unpackDual(Tensor dual) {
    return new Dual(Access.tensors(Engine.unpackDual(dual)));
  }

  /** Closes the level: no tensor has a tangent any more. Closing again does nothing. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      Engine.exitDualLevel(level);
      if (scope != null) {
        scope.detach((AutoCloseable) this);
      }
    }
  }

  /** A tensor and its tangent. */
  public static final class Dual {
    private final Tensor primal;
    private final Tensor tangent;

    private Dual(Tensor[] parts) {
      primal = parts[0];
      tangent = parts[1];
    }

    /** The tensor without its tangent. */
    public Tensor primal() {
      return primal;
    }

    /** The tangent; undefined where there is none. */
    public Tensor tangent() {
      return tangent;
    }
  }
}
