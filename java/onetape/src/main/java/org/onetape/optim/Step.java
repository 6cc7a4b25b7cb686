package org.onetape.optim;

import java.util.Arrays;
import org.onetape.Tensor;
import org.onetape.internal.Access;

/** The parameters of a group that have a gradient now. */
final class Step implements AutoCloseable {
  private final Tensor[] all;
  private final int[] places;
  private final Tensor[] grads;

  Step(Tensor[] all) {
    this.all = all;
    Tensor[] found = new Tensor[all.length];
    int[] where = new int[all.length];
    int count = 0;
    for (int i = 0; i < all.length; i++) {
      Tensor gradient = all[i].grad();
      if (gradient.defined()) {
        where[count] = i;
        found[count++] = gradient;
      }
    }
    places = Arrays.copyOf(where, count);
    grads = Arrays.copyOf(found, count);
  }

  /** The number of parameters in the group, with and without gradients. */
  int groupSize() {
    return all.length;
  }

  Tensor[] grads() {
    return grads;
  }

  Tensor[] params() {
    return pick(all);
  }

  /** The places in the group of the parameters with a gradient. */
  int[] places() {
    return places;
  }

  /** The parameter at a place in the group. */
  Tensor param(int place) {
    return all[place];
  }

  /** What belongs to the parameters with a gradient, of a list for all parameters of the group. */
  Tensor[] pick(Tensor[] ofAll) {
    Tensor[] picked = new Tensor[places.length];
    Arrays.setAll(picked, i -> ofAll[places[i]]);
    return picked;
  }

  /** Keeps new tensors for the parameters with a gradient; a handle of 0 leaves what is there. */
  void store(long[] handles, Tensor[] ofAll) {
    for (int i = 0; i < handles.length; i++) {
      if (handles[i] != 0) {
        try (Tensor made = Access.tensor(handles[i])) {
          ofAll[places[i]] = Access.unscoped(made);
        }
      }
    }
  }

  /** A list with an undefined tensor for each parameter of the group. */
  Tensor[] undefined() {
    Tensor[] tensors = new Tensor[all.length];
    Arrays.setAll(tensors, i -> new Tensor());
    return tensors;
  }

  /** Lets go of the gradients. */
  @Override
  public void close() {
    for (Tensor gradient : grads) {
      gradient.close();
    }
  }
}
