package org.onetape;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** What the two classes of hooks with numbers have in common. */
abstract class FunctionHook {
  private static final Map<Integer, WeakReference<FunctionHook>> REGISTERED =
      new ConcurrentHashMap<>();
  private static final AtomicInteger LAST = new AtomicInteger();

  // The engine keeps the hook as long as it is registered, and with it its handles.
  private final Map<Integer, HookHandle> handles = new ConcurrentHashMap<>();

  FunctionHook() {}

  abstract TensorHook asHook();

  int registeredOn(Tensor tensor) {
    REGISTERED.values().removeIf(reference -> reference.get() == null);
    int number = LAST.incrementAndGet();
    handles.put(number, tensor.register_hook(asHook()));
    REGISTERED.put(number, new WeakReference<>(this));
    return number;
  }

  static void remove(int number) {
    WeakReference<FunctionHook> reference = REGISTERED.remove(number);
    FunctionHook hook = reference == null ? null : reference.get();
    HookHandle handle = hook == null ? null : hook.handles.remove(number);
    if (handle != null) {
      handle.remove();
    }
  }
}
