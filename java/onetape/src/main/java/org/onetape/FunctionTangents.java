package org.onetape;

import org.onetape.global.torch;
import org.onetape.internal.Access;
import org.onetape.internal.Engine;

/** Forward mode of one application of a {@link Function}. */
final class FunctionTangents {
  private static final int DIRTY = 1;
  private static final int NON_DIFFERENTIABLE = 2;

  /** One an argument that is a tensor, null for none. */
  private final Tensor[] tangents;

  private FunctionTangents(Tensor[] tangents) {
    this.tangents = tangents;
  }

  /** The tangents of the arguments, before forward may change them; null if no argument has one. */
  static FunctionTangents of(Tensor[] arguments) {
    if (Engine.dualLevel() < 0 || !Engine.forwardEnabled()) {
      return null;
    }
    long[] handles = Engine.tangents(arguments);
    Tensor[] found = new Tensor[handles.length];
    boolean any = false;
    for (int i = 0; i < handles.length; i++) {
      if (handles[i] != 0) {
        found[i] = Access.tensor(handles[i]);
        any = true;
      }
    }
    return any ? new FunctionTangents(found) : null;
  }

  /** What jvp is given: one tangent an argument. */
  Tensor[] arguments(boolean[] isTensor, Tensor[] inputs, boolean materialize) {
    Tensor[] all = new Tensor[isTensor.length];
    int k = 0;
    for (int i = 0; i < all.length; i++) {
      if (isTensor[i]) {
        all[i] = tangents[k];
        if (all[i] == null && materialize && canHaveTangent(inputs[k])) {
          all[i] = torch.zeros_like(inputs[k]);
        }
        k++;
      }
    }
    return all;
  }

  private static boolean canHaveTangent(Tensor t) {
    return t.defined() && (t.is_floating_point() || t.is_complex());
  }

  /** Gives the results the tangents that jvp has computed. */
  void give(Tensor[] inputs, Tensor[] results, Tensor[] computed, int[] marks) {
    int count = computed == null ? 0 : computed.length;
    if (count != results.length) {
      throw new TorchException(
          "Function's jvp returned an invalid number of forward gradients (expected "
              + results.length
              + " but got "
              + count
              + ")");
    }
    for (int i = 0; i < count; i++) {
      if (computed[i] != null && computed[i].defined()) {
        giveOne(inputs, results[i], computed[i], marks[i], i);
      }
    }
  }

  private void giveOne(Tensor[] inputs, Tensor result, Tensor tangent, int mark, int i) {
    if (mark == NON_DIFFERENTIABLE || !canHaveTangent(result)) {
      throw new TorchException(
          "Function's jvp returned a gradient at position "
              + i
              + ", but  the corresponding forward output is not a differentiable Tensor.You should"
              + " return None at that position instead.");
    }
    if (mark == DIRTY) {
      for (int k = 0; k < inputs.length; k++) {
        if (inputs[k].equals(result) && tangents[k] != null && !tangents[k].equals(tangent)) {
          throw new TorchException(
              "An inplace custom Function is not modifying the forward mode gradients inplace. If"
                  + " the forward is modifying an input inplace, then the jvp function must modify"
                  + " the corresponding gradient inplace.");
        }
      }
    }
    Engine.giveTangent(result, tangent, mark == DIRTY);
  }
}
