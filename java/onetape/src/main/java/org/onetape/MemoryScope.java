package org.onetape;

import java.util.ArrayDeque;
import java.util.Deque;
import org.onetape.internal.NativeRef;
import org.onetape.internal.RefList;

/**
 * A stretch of code after which the tensors made in it are freed.
 *
 * <pre>{@code
 * try (MemoryScope scope = new MemoryScope()) {
 *   Tensor loss = model.forward(x).sub(y).pow(2).mean();
 *   loss.backward();
 * } // every tensor made in between is freed here; the gradients stay
 * }</pre>
 *
 * <p>A tensor belongs to the innermost scope that its thread has open when it is made. To use one
 * after the scope, {@link #keep} it: it then belongs to the scope around this one. What the graph
 * or a gradient needs stays in native memory whatever is closed here. Tensors without a scope are
 * freed by the garbage collector.
 *
 * <p>A scope is closed by the thread that opened it; scopes inside that are still open are closed
 * first. Closing twice does nothing. {@link #attach} hands over other things to be closed, too; if
 * several of them fail to close, the first exception is thrown and the others are added to it.
 */
public class MemoryScope implements AutoCloseable {
  private final RefList list;
  private volatile Deque<AutoCloseable> resources; // made when needed

  /** Opens a scope inside the one that is innermost now. */
  public MemoryScope() {
    list = RefList.open(this);
  }

  /**
   * Makes a tensor of this scope, or of one inside, belong to the scope around this one.
   *
   * @return the same tensor
   * @throws IllegalStateException if the tensor is closed
   */
  public <T extends Tensor> T keep(T tensor) {
    NativeRef ref = tensor.ref();
    if (ref != null && list.encloses(ref.list())) {
      tensor.moveTo(list.outer());
    }
    return tensor;
  }

  /**
   * Makes a tensor belong to this scope, wherever it was made.
   *
   * @return the same tensor
   * @throws IllegalStateException if the tensor or this scope is closed
   */
  public <T extends Tensor> T attach(T tensor) {
    checkOpen();
    if (tensor.ref() != null) {
      tensor.moveTo(list);
    }
    return tensor;
  }

  /**
   * Makes a tensor belong to no scope, so that the garbage collector frees it.
   *
   * @return the same tensor
   * @throws IllegalStateException if the tensor is closed
   */
  public <T extends Tensor> T detach(T tensor) {
    if (tensor.ref() != null) {
      tensor.moveTo(RefList.unscoped());
    }
    return tensor;
  }

  /**
   * Closes something other than a tensor together with this scope.
   *
   * @return the same object
   * @throws IllegalStateException if this scope is closed
   */
  public synchronized <T extends AutoCloseable> T attach(T resource) {
    checkOpen();
    if (resources == null) {
      resources = new ArrayDeque<>();
    }
    resources.push(resource);
    return resource;
  }

  /**
   * Takes back what was attached.
   *
   * @return the same object
   */
  public synchronized <T extends AutoCloseable> T detach(T resource) {
    if (resources != null) {
      resources.removeIf(r -> r == resource);
    }
    return resource;
  }

  /** Whether this scope is still open. */
  public boolean isOpen() {
    return !list.isClosed();
  }

  private void checkOpen() {
    if (list.isClosed()) {
      throw new IllegalStateException("the scope is closed");
    }
  }

  /**
   * Frees the tensors of this scope, the newest first, after closing what was attached.
   *
   * @throws IllegalStateException if another thread opened it
   */
  @Override
  public void close() {
    if (list.isClosed()) {
      return;
    }
    if (list.thread() != Thread.currentThread()) {
      throw new IllegalStateException(
          "this scope was opened by thread " + list.thread().getName() + ", which must close it");
    }
    RuntimeException failure = null;
    while (!list.isInnermost()) {
      failure = closeQuietly(RefList.current().scope(), failure);
    }
    if (resources != null) {
      for (AutoCloseable resource = next(); resource != null; resource = next()) {
        failure = closeQuietly(resource, failure);
      }
    }
    list.close();
    if (failure != null) {
      throw failure;
    }
  }

  private synchronized AutoCloseable next() {
    return resources == null ? null : resources.poll();
  }

  private static RuntimeException closeQuietly(AutoCloseable resource, RuntimeException failure) {
    try {
      resource.close();
      return failure;
    } catch (Exception e) {
      if (failure != null) {
        failure.addSuppressed(e);
        return failure;
      }
      return e instanceof RuntimeException
          ? (RuntimeException) e
          : new TorchException("could not close " + resource, e);
    }
  }
}
