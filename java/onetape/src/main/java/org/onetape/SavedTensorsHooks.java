package org.onetape;

import java.util.function.Function;
import org.onetape.internal.Engine;
import org.onetape.internal.Upcalls;

/**
 * Until it is closed, what this thread saves for backward goes through two functions.
 *
 * <pre>{@code
 * try (var hooks = new SavedTensorsHooks(t -> t.to(kHalf), t -> ((Tensor) t).to(kFloat))) {
 *   loss = model.forward(x);
 * }
 * }</pre>
 *
 * <p>Of several that are open the innermost counts.
 */
public class SavedTensorsHooks extends Guard {
  /**
   * Puts the functions in force.
   *
   * @param pack makes anything of a tensor, which it must not change
   * @param unpack makes a tensor of the same content of it again
   * @throws TorchException within {@link DisableSavedTensorsHooks}
   */
  @SuppressWarnings("this-escape") // the scope only keeps the reference
  public SavedTensorsHooks(Function<Tensor, Object> pack, Function<Object, Tensor> unpack) {
    Engine.pushSavedHooks(
        new Upcalls.SavedHooks() {
          @Override
          public Object pack(Tensor tensor) {
            return pack.apply(tensor);
          }

          @Override
          public Tensor unpack(Object packed) {
            return unpack.apply(packed);
          }
        });
    begin();
  }

  @Override
  final void restore() {
    Engine.popSavedHooks();
  }
}
