package org.onetape;

import org.onetape.internal.Engine;

/** Until it is closed, {@link SavedTensorsHooks} are an error in this thread. */
public final class DisableSavedTensorsHooks extends Guard {
  private final String previous;

  /**
   * Forbids them.
   *
   * @param message what the exception says
   * @throws TorchException with the message if some are in force
   */
  public DisableSavedTensorsHooks(String message) {
    previous = Engine.disableSavedHooks(message);
    begin();
  }

  @Override
  void restore() {
    Engine.restoreSavedHooks(previous);
  }
}
