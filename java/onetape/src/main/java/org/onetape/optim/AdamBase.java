package org.onetape.optim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.onetape.Tensor;
import org.onetape.global.torch;
import org.onetape.internal.Access;
import org.onetape.internal.Engine;

/** What Adam and AdamW have in common. */
abstract class AdamBase extends Optimizer {
  /** What is remembered of the parameters of one group, one tensor a parameter each. */
  private static final class State {
    final Tensor[] means;
    final Tensor[] squares;
    final Tensor[] largest;
    final Tensor[] steps;

    State(int count) {
      means = new Tensor[count];
      squares = new Tensor[count];
      largest = new Tensor[count];
      steps = new Tensor[count];
    }

    void makeIfNew(int i, Tensor parameter, boolean amsgrad) {
      if (means[i] == null) {
        means[i] = zeros(parameter);
      }
      if (squares[i] == null) {
        squares[i] = zeros(parameter);
      }
      if (steps[i] == null) {
        try (Tensor zero = torch.tensor(0f)) {
          steps[i] = Access.unscoped(zero);
        }
      }
      if (amsgrad && largest[i] == null) {
        largest[i] = zeros(parameter);
      }
    }

    /** The lists under the names that Python's state has. */
    Map<String, Tensor[]> named() {
      Map<String, Tensor[]> lists = new LinkedHashMap<>();
      lists.put("step", steps);
      lists.put("exp_avg", means);
      lists.put("exp_avg_sq", squares);
      lists.put("max_exp_avg_sq", largest);
      return lists;
    }

    private static Tensor zeros(Tensor parameter) {
      try (Tensor zeros = torch.zeros_like(parameter)) {
        return Access.unscoped(zeros);
      }
    }
  }

  private final boolean decoupled;
  private final List<State> states = new ArrayList<>();

  AdamBase(OptimizerParamGroupVector groups, AdamOptions options, boolean decoupled) {
    super(groups, checked(options));
    this.decoupled = decoupled;
  }

  private static AdamOptions checked(AdamOptions options) {
    require(options.lr().get() >= 0, "Invalid learning rate: " + options.lr().get());
    require(options.eps().get() >= 0, "Invalid epsilon value: " + options.eps().get());
    for (int i = 0; i < 2; i++) {
      double beta = options.betas().get(i);
      require(beta >= 0 && beta < 1, "Invalid beta parameter at index " + i + ": " + beta);
    }
    require(
        options.weight_decay().get() >= 0,
        "Invalid weight_decay value: " + options.weight_decay().get());
    return options;
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }

  @Override
  Map<String, Tensor> stateOf(int group, int place) {
    Map<String, Tensor> state = new LinkedHashMap<>();
    if (group < states.size()) {
      states
          .get(group)
          .named()
          .forEach(
              (name, tensors) -> {
                if (tensors[place] != null) {
                  state.put(name, tensors[place]);
                }
              });
    }
    return state;
  }

  @Override
  void setState(int group, int place, Map<String, Tensor> state) {
    while (states.size() <= group) {
      states.add(new State(groupSize(states.size())));
    }
    states
        .get(group)
        .named()
        .forEach(
            (name, tensors) -> {
              if (tensors[place] != null) {
                tensors[place].close();
              }
              tensors[place] = state.get(name);
            });
  }

  @Override
  void update(int group, Step step, OptimizerOptions options) {
    AdamOptions how = (AdamOptions) options;
    boolean amsgrad = how.amsgrad().get();
    while (states.size() <= group) {
      states.add(new State(step.groupSize()));
    }
    State state = states.get(group);
    for (int i : step.places()) {
      state.makeIfNew(i, step.param(i), amsgrad);
    }
    double[] numbers = {
      how.lr().get(),
      how.betas().get(0),
      how.betas().get(1),
      how.eps().get(),
      how.weight_decay().get()
    };
    Engine.adamStep(
        step.params(),
        step.grads(),
        step.pick(state.means),
        step.pick(state.squares),
        amsgrad ? step.pick(state.largest) : null,
        step.pick(state.steps),
        numbers,
        decoupled);
  }

  @Override
  public void close() {
    super.close();
    for (State state : states) {
      for (Tensor[] tensors : List.of(state.means, state.squares, state.largest, state.steps)) {
        for (Tensor tensor : tensors) {
          if (tensor != null) {
            tensor.close();
          }
        }
      }
    }
  }
}
