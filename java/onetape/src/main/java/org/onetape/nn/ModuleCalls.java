package org.onetape.nn;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.onetape.Function;
import org.onetape.Tensor;
import org.onetape.TorchException;

/** Calling a module, with the hooks that surround the call. */
abstract class ModuleCalls extends ModuleParts {
  private final List<ModuleHook.ForwardPre> before = new CopyOnWriteArrayList<>();
  private final List<ModuleHook.Forward> after = new CopyOnWriteArrayList<>();
  private final List<ModuleHook.BackwardPre> backwardBefore = new CopyOnWriteArrayList<>();
  private final List<ModuleHook.Backward> backwardAfter = new CopyOnWriteArrayList<>();

  abstract Tensor forwardAll(Tensor... inputs);

  private Module self() {
    return (Module) this;
  }

  private static <H> ModuleHook added(List<H> hooks, H hook) {
    List<H> one = new ArrayList<>(List.of(hook));
    hooks.add(hook);
    return new ModuleHook(() -> one.forEach(hooks::remove));
  }

  /**
   * Computes the result as {@code forward} does, with the hooks that were registered. As in
   * PyTorch, {@code forward} itself calls no hooks; layers that are made of others call their parts
   * by this method.
   *
   * @param inputs as many as {@code forward} takes
   */
  public final Tensor call(Tensor... inputs) {
    return surround(inputs, this::forwardAll);
  }

  /**
   * Computes the result with more than the inputs that hooks see, as what Python passes by name is.
   *
   * @throws IllegalArgumentException if a hook gives another number of inputs
   */
  final Tensor call(Tensor[] inputs, Computation computation) {
    return surround(
        inputs,
        given -> {
          if (given.length != inputs.length) {
            throw new IllegalArgumentException(
                name() + " takes " + inputs.length + " tensors, and a hook gave " + given.length);
          }
          return computation.apply(given);
        });
  }

  /** What a module computes of its inputs. */
  interface Computation {
    Tensor apply(Tensor... inputs);
  }

  private Tensor surround(Tensor[] inputs, Computation computation) {
    if (before.isEmpty()
        && after.isEmpty()
        && backwardBefore.isEmpty()
        && backwardAfter.isEmpty()) {
      return computation.apply(inputs);
    }
    Tensor[] given = inputs;
    for (ModuleHook.ForwardPre hook : before) {
      Tensor[] answer = hook.apply(self(), given);
      given = answer == null ? given : answer;
    }
    if (backwardBefore.isEmpty() && backwardAfter.isEmpty()) {
      return seen(given, computation.apply(given));
    }
    BackwardCall backward = new BackwardCall();
    Tensor[] passed = backward.enter(given);
    return backward.leave(seen(passed, computation.apply(passed)));
  }

  private Tensor seen(Tensor[] inputs, Tensor result) {
    Tensor last = result;
    for (ModuleHook.Forward hook : after) {
      Tensor answer = hook.apply(self(), inputs, last);
      last = answer == null ? last : answer;
    }
    return last;
  }

  /** Has a hook called before the module computes its result in {@link #call}. */
  public final ModuleHook register_forward_pre_hook(ModuleHook.ForwardPre hook) {
    return added(before, hook);
  }

  /** Has a hook called when the module has computed its result in {@link #call}. */
  public final ModuleHook register_forward_hook(ModuleHook.Forward hook) {
    return added(after, hook);
  }

  /** Has a hook called in backward, when the gradient has gone through a {@link #call}. */
  public final ModuleHook register_full_backward_hook(ModuleHook.Backward hook) {
    return added(backwardAfter, hook);
  }

  /** Has a hook called in backward, before the gradient goes through a {@link #call}. */
  public final ModuleHook register_full_backward_pre_hook(ModuleHook.BackwardPre hook) {
    return added(backwardBefore, hook);
  }

  /** One call whose gradients the hooks of backward want to see. */
  private final class BackwardCall {
    private Tensor gradOutput = new Tensor();
    private final List<Integer> places = new ArrayList<>();
    private int count;

    /** The inputs, those that require a gradient led through a border. */
    Tensor[] enter(Tensor[] inputs) {
      for (int i = 0; i < inputs.length; i++) {
        if (inputs[i].defined() && inputs[i].requires_grad()) {
          places.add(i);
        }
      }
      count = inputs.length;
      Tensor[] passed = inputs.clone();
      if (!places.isEmpty()) {
        Object[] seen = places.stream().map(i -> inputs[i]).toArray();
        Tensor[] led = new Border(this, true).applyAll(seen);
        for (int k = 0; k < led.length; k++) {
          passed[places.get(k)] = led[k];
        }
      }
      return passed;
    }

    Tensor leave(Tensor result) {
      return result.requires_grad() ? new Border(this, false).apply((Object) result) : result;
    }

    Tensor[] sawOutput(Tensor gradient) {
      Tensor last = gradient;
      for (ModuleHook.BackwardPre hook : backwardBefore) {
        Tensor answer = hook.apply(self(), last);
        last = answer == null ? last : answer;
      }
      gradOutput = last;
      if (places.isEmpty()) { // no input needs a gradient, so nothing more will come
        for (ModuleHook.Backward hook : backwardAfter) {
          hook.apply(self(), new Tensor[0], last);
        }
      }
      return new Tensor[] {last};
    }

    Tensor[] sawInputs(Tensor[] gradients) {
      Tensor[] last = new Tensor[count];
      for (int k = 0; k < gradients.length; k++) {
        last[places.get(k)] = gradients[k];
      }
      for (ModuleHook.Backward hook : backwardAfter) {
        Tensor[] answer = hook.apply(self(), last, gradOutput);
        if (answer != null && answer.length != count) {
          throw new TorchException(
              "Backward hook returned an invalid number of grad in grad_input, got "
                  + answer.length
                  + ", but expected "
                  + count);
        }
        last = answer == null ? last : answer;
      }
      Tensor[] result = new Tensor[gradients.length];
      for (int k = 0; k < result.length; k++) {
        result[k] = last[places.get(k)];
      }
      return result;
    }
  }

  /** Lets tensors through, and shows their gradients on the way back. */
  private static final class Border extends Function {
    private final BackwardCall call;
    private final boolean inputs;

    Border(BackwardCall call, boolean inputs) {
      this.call = call;
      this.inputs = inputs;
    }

    @Override
    public Tensor[] forward(Context ctx, Object... args) {
      Tensor[] passed = new Tensor[args.length];
      for (int i = 0; i < args.length; i++) {
        Tensor tensor = (Tensor) args[i];
        passed[i] = tensor.view_as(tensor);
      }
      return passed;
    }

    @Override
    public Tensor[] backward(Context ctx, Tensor... gradients) {
      return inputs ? call.sawInputs(gradients) : call.sawOutput(gradients[0]);
    }
  }
}
