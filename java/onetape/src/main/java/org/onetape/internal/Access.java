package org.onetape.internal;

import org.onetape.Tensor;
import org.onetape.TensorArrayRef;
import org.onetape.TensorOptionalList;
import org.onetape.TensorVector;

/** Lets the other packages of the library reach what {@code org.onetape} does not show. */
public abstract class Access {
  private static Access instance;

  /** For the one subclass, which stands in {@code org.onetape}. */
  protected Access() {}

  /** Called once by {@code Tensor}. */
  public static void provide(Access access) {
    instance = access;
  }

  private static Access get() {
    if (instance == null) {
      new Tensor(); // its class provides the access
    }
    return instance;
  }

  protected abstract Tensor wrap(long handle);

  protected abstract Tensor own(Tensor tensor);

  protected abstract void take(Tensor tensor);

  protected abstract NativeRef refOf(Object owner);

  protected abstract Tensor[] list(TensorVector vector);

  protected abstract Tensor[] list(TensorArrayRef list);

  protected abstract Tensor[] list(TensorOptionalList list);

  /** The tensor of a new handle. */
  public static Tensor tensor(long handle) {
    return get().wrap(handle);
  }

  /** Another object for a tensor that belongs to no scope. */
  public static Tensor unscoped(Tensor tensor) {
    return get().own(tensor);
  }

  /** Makes a tensor belong to the innermost scope of the calling thread; returns it. */
  public static Tensor adopted(Tensor tensor) {
    get().take(tensor);
    return tensor;
  }

  /** What owns the handle of a tensor, node or generator. */
  static NativeRef ref(Object owner) {
    return get().refOf(owner);
  }

  /** The tensors of a list, or null. */
  public static Tensor[] tensors(TensorVector vector) {
    return vector == null ? null : get().list(vector);
  }

  /** The tensors of a list, or null. */
  public static Tensor[] tensors(TensorArrayRef list) {
    return list == null ? null : get().list(list);
  }

  /** The tensors of a list, with null for one that is left out. */
  public static Tensor[] tensors(TensorOptionalList list) {
    return list == null ? null : get().list(list);
  }

  /** The tensors of new handles. */
  public static Tensor[] tensors(long[] handles) {
    Tensor[] tensors = new Tensor[handles.length];
    for (int i = 0; i < handles.length; i++) {
      tensors[i] = tensor(handles[i]);
    }
    return tensors;
  }

  /** The tensors of new handles. */
  public static TensorVector vector(long[] handles) {
    Tensor[] tensors = tensors(handles);
    TensorVector vector = new TensorVector(tensors);
    for (Tensor tensor : tensors) {
      tensor.close();
    }
    return vector;
  }
}
