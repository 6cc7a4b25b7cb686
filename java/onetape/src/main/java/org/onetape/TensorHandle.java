package org.onetape;

import org.onetape.internal.Engine;
import org.onetape.internal.NativeRef;
import org.onetape.internal.RefList;

/** What owns the native memory of a tensor on behalf of a Java object. */
abstract class TensorHandle implements AutoCloseable {
  /** The native handle, read by native code; 0 for the undefined tensor. */
  private final long cell;

  private final NativeRef ref;

  /** In a handle: the graph behind the tensor needs Java objects. */
  private static final long KEPT = 1L << 28;

  /**
   * The Java functions in the graph behind the tensor. Native code does not hold them, so that the
   * garbage collector finds functions that reach their own results.
   */
  @SuppressWarnings("unused") // read by the garbage collector
  private Object graph;

  @SuppressWarnings("this-escape") // native code only reads the handle
  TensorHandle(long handle) {
    cell = handle;
    ref = handle == 0 ? null : RefList.register(this, handle);
    if ((handle & KEPT) != 0) {
      holdGraph();
    }
  }

  @SuppressWarnings("this-escape") // native code only reads the handle
  TensorHandle(long handle, RefList owner) {
    cell = handle;
    ref = handle == 0 ? null : owner.own(this, handle);
    if ((handle & KEPT) != 0) {
      holdGraph();
    }
  }

  /** Makes this object hold the one Java object that the graph behind the tensor needs. */
  final void holdGraph(Object keeper) {
    graph = keeper;
  }

  /** Makes this object hold what the graph behind the tensor needs now. */
  final void holdGraph() {
    graph = Engine.graphKeeper(this);
  }

  final long newHandle() {
    return cell == 0 ? 0 : Engine.alias(this);
  }

  final Tensor alias() {
    return new Tensor(newHandle());
  }

  final Tensor aliasIn(RefList owner) {
    return new Tensor(newHandle(), owner);
  }

  final NativeRef ref() {
    return ref;
  }

  final void moveTo(RefList list) {
    if (!ref.moveTo(list)) {
      throw Engine.closed(this);
    }
  }

  /** Lets go of the native memory; closing again does nothing. */
  @Override
  public void close() {
    if (ref != null) {
      ref.close();
    }
  }

  /** Lets go of the native memory, like {@link #close()}. */
  public void deallocate() {
    close();
  }

  /**
   * Makes this tensor outlive the scope it belongs to: it then belongs to the scope around that
   * one, or to the garbage collector if there is none.
   *
   * <p>A method with a scope of its own can so return a tensor.
   *
   * @throws IllegalStateException if the tensor is closed
   */
  public Tensor keep() {
    if (ref != null) {
      RefList list = ref.list();
      if (list == null) {
        throw Engine.closed(this);
      }
      if (list.isScope()) {
        moveTo(list.outer());
      }
    }
    return (Tensor) this;
  }

  /** Whether there is a tensor behind this object: not if it is undefined or was closed. */
  public boolean defined() {
    return ref != null && !ref.isClosed();
  }

  /** Whether there is no tensor behind this object. */
  public boolean isNull() {
    return !defined();
  }

  private long identity() {
    return defined() ? Engine.identity(this) : cell;
  }

  /** Whether the other object stands for the same tensor. */
  @Override
  public final boolean equals(Object other) {
    return other == this
        || (other instanceof TensorHandle && ((TensorHandle) other).identity() == identity());
  }

  @Override
  public final int hashCode() {
    return Long.hashCode(identity() >> 4);
  }
}
