package org.onetape;

import org.onetape.internal.Engine;

/**
 * Inference mode in this thread until it is closed: operators are not recorded, and the tensors
 * made meanwhile can never take part in a record.
 *
 * <pre>{@code
 * try (InferenceMode guard = new InferenceMode()) {
 *   return model.forward(x).keep();
 * }
 * }</pre>
 *
 * <p>Such tensors count no changes in place. Outside the mode they are not changed in place, do not
 * come to require a gradient, and are not kept for backward; {@code clone()} gives a tensor without
 * these limits.
 */
public final class InferenceMode extends Guard {
  private final boolean grad = Engine.gradEnabled();
  private final boolean inference = Engine.inferenceMode();

  /** Enters the mode. */
  public InferenceMode() {
    this(true);
  }

  /** Enters the mode, or leaves it until the guard is closed. */
  public InferenceMode(boolean enabled) {
    Engine.setInferenceMode(enabled);
    Engine.setGradEnabled(!enabled);
    begin();
  }

  /** Whether this thread is in inference mode. */
  public static boolean is_enabled() {
    return Engine.inferenceMode();
  }

  @Override
  void restore() {
    Engine.setInferenceMode(inference);
    Engine.setGradEnabled(grad);
  }
}
