package org.onetape;

import org.onetape.internal.Engine;
import org.onetape.internal.NativeRef;
import org.onetape.internal.RefList;

/**
 * Takes a hook away from what it was registered on.
 *
 * <p>A handle that is forgotten leaves its hook where it is; the hook then lives as long as what it
 * was registered on.
 */
public final class HookHandle implements AutoCloseable {
  private final long handle;
  private final NativeRef ref;

  HookHandle(long handle) {
    this.handle = handle;
    ref = RefList.unscoped().own(this, handle);
  }

  /** Takes the hook away; doing so again has no effect. */
  public void remove() {
    if (!ref.isClosed()) {
      Engine.removeHook(handle);
      ref.close();
    }
  }

  /** Takes the hook away. */
  @Override
  public void close() {
    remove();
  }
}
