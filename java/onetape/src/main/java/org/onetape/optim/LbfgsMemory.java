package org.onetape.optim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.onetape.Tensor;
import org.onetape.TensorVector;
import org.onetape.global.torch;
import org.onetape.internal.Access;

/** What {@link LBFGS} remembers; its tensors belong to no scope. */
final class LbfgsMemory {
  long calls;
  long steps;
  Tensor direction;
  Real length = Real.of(0);
  Tensor gradBefore;
  Real scale = Real.of(1);
  final List<Tensor> changes = new ArrayList<>();
  final List<Tensor> moves = new ArrayList<>();
  final List<Real> inverses = new ArrayList<>();

  /** A tensor in place of another one; both belong to the memory. */
  static Tensor replaced(Tensor before, Tensor now) {
    Tensor kept = Access.unscoped(now);
    if (before != null) {
      before.close();
    }
    return kept;
  }

  void forget() {
    changes.forEach(Tensor::close);
    moves.forEach(Tensor::close);
    changes.clear();
    moves.clear();
    inverses.clear();
    scale = Real.of(1);
  }

  void forgetOldest() {
    changes.remove(0).close();
    moves.remove(0).close();
    inverses.remove(0);
  }

  void remember(Tensor change, Tensor move, Real inverse) {
    changes.add(Access.unscoped(change));
    moves.add(Access.unscoped(move));
    inverses.add(inverse);
  }

  void clear() {
    forget();
    for (Tensor tensor : new Tensor[] {direction, gradBefore}) {
      if (tensor != null) {
        tensor.close();
      }
    }
    direction = null;
    gradBefore = null;
  }

  private static Tensor rows(List<Tensor> vectors) {
    return torch.stack(new TensorVector(vectors.toArray(new Tensor[0])));
  }

  Map<String, Tensor> saved() {
    Map<String, Tensor> state = new LinkedHashMap<>();
    if (calls == 0) {
      return state;
    }
    state.put("func_evals", torch.tensor(calls));
    state.put("n_iter", torch.tensor(steps));
    if (direction == null) {
      return state;
    }
    state.put("d", new Tensor(direction));
    state.put("t", torch.tensor(length.value));
    if (!changes.isEmpty()) {
      double[] shares = inverses.stream().mapToDouble(one -> one.value).toArray();
      state.put("old_dirs", rows(changes));
      state.put("old_stps", rows(moves));
      state.put("ro", torch.tensor(shares));
    }
    state.put("H_diag", torch.tensor(scale.value));
    state.put("prev_flat_grad", new Tensor(gradBefore));
    return state;
  }

  void load(Map<String, Tensor> state) {
    clear();
    calls = state.containsKey("func_evals") ? (long) state.get("func_evals").item_double() : 0;
    steps = state.containsKey("n_iter") ? (long) state.get("n_iter").item_double() : 0;
    if (!state.containsKey("d")) {
      return;
    }
    boolean single = state.get("d").scalar_type() == torch.ScalarType.Float;
    direction = Access.unscoped(state.get("d"));
    gradBefore = Access.unscoped(state.get("prev_flat_grad"));
    length = Real.of(state.get("t").item_double(), single);
    scale = Real.of(state.get("H_diag").item_double(), single);
    if (state.containsKey("old_dirs")) {
      double[] shares = state.get("ro").toDoubleArray();
      for (int i = 0; i < shares.length; i++) {
        try (Tensor change = state.get("old_dirs").select(0, i).clone();
            Tensor move = state.get("old_stps").select(0, i).clone()) {
          remember(change, move, Real.of(shares[i], single));
        }
      }
    }
  }
}
