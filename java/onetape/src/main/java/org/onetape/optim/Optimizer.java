package org.onetape.optim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.onetape.EnableGradGuard;
import org.onetape.MemoryScope;
import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.TensorVector;
import org.onetape.internal.Access;

/**
 * Changes parameters along their gradients.
 *
 * <pre>{@code
 * optimizer.zero_grad();
 * loss.backward();
 * optimizer.step();
 * }</pre>
 */
public abstract class Optimizer implements AutoCloseable {
  private final OptimizerOptions defaults;
  private final OptimizerParamGroupVector groups = new OptimizerParamGroupVector();
  private final List<Tensor[]> parameters = new ArrayList<>();

  Optimizer(OptimizerParamGroupVector groups, OptimizerOptions defaults) {
    this.defaults = defaults;
    for (OptimizerParamGroup group : groups) {
      add_param_group(group);
    }
  }

  static OptimizerParamGroupVector group(TensorVector params) {
    if (params.empty()) {
      throw new IllegalArgumentException("optimizer got an empty parameter list");
    }
    return new OptimizerParamGroupVector(new OptimizerParamGroup(params));
  }

  /** Has another group of parameters changed, too. */
  public void add_param_group(OptimizerParamGroup group) {
    List<Tensor> own = new ArrayList<>();
    for (Tensor parameter : group.params()) {
      if (!parameter.is_leaf()) {
        throw new IllegalArgumentException("can't optimize a non-leaf Tensor");
      }
      own.add(Access.unscoped(parameter));
    }
    if (!group.has_options()) {
      group.set_options(defaults.copy());
    }
    groups.push_back(group);
    parameters.add(own.toArray(new Tensor[0]));
  }

  /** The groups of parameters, with their options. */
  public OptimizerParamGroupVector param_groups() {
    return groups;
  }

  /** The options of groups that have none of their own. */
  public OptimizerOptions defaults() {
    return defaults;
  }

  /** The number of parameters in a group. */
  final int groupSize(int group) {
    return parameters.get(group).length;
  }

  /** What is remembered of a parameter, by its group and its place in it; empty if nothing is. */
  abstract Map<String, Tensor> stateOf(int group, int place);

  /** Remembers of a parameter what is given instead; tensors that this optimizer then owns. */
  abstract void setState(int group, int place, Map<String, Tensor> state);

  /**
   * What this optimizer remembers and how it is set, with parameters as numbers in their order.
   *
   * <p>The tensors are those that the optimizer goes on with: clone them to keep them as they are.
   */
  public OptimizerState state_dict() {
    Map<Integer, Map<String, Tensor>> state = new LinkedHashMap<>();
    List<Map<String, Object>> all = new ArrayList<>();
    int number = 0;
    for (int i = 0; i < parameters.size(); i++) {
      List<Integer> numbers = new ArrayList<>();
      for (int place = 0; place < parameters.get(i).length; place++) {
        Map<String, Tensor> own = new LinkedHashMap<>();
        stateOf(i, place).forEach((name, tensor) -> own.put(name, new Tensor(tensor)));
        if (!own.isEmpty()) {
          state.put(number, own);
        }
        numbers.add(number++);
      }
      Map<String, Object> group = groups.get(i).options().numbers();
      group.put("params", numbers);
      all.add(group);
    }
    return new OptimizerState(state, all);
  }

  /** What this optimizer remembers, like {@link #state_dict()}. */
  public OptimizerState stateDict() {
    return state_dict();
  }

  /**
   * Goes on from the state of an optimizer with groups of the same sizes; its tensors are copied.
   *
   * @throws IllegalArgumentException if the groups are others; nothing is changed then
   */
  public void load_state_dict(OptimizerState saved) {
    List<Map<String, Object>> given = saved.param_groups();
    if (given.size() != parameters.size()) {
      throw new IllegalArgumentException(
          "loaded state dict has a different number of parameter groups");
    }
    List<OptimizerOptions> options = new ArrayList<>();
    List<List<?>> numbers = new ArrayList<>();
    for (int i = 0; i < given.size(); i++) {
      Object params = given.get(i).get("params");
      if (!(params instanceof List) || ((List<?>) params).size() != parameters.get(i).length) {
        throw new IllegalArgumentException(
            "loaded state dict contains a parameter group that doesn't match the size of"
                + " optimizer's group");
      }
      numbers.add((List<?>) params);
      OptimizerOptions changed = groups.get(i).options().copy();
      changed.set(given.get(i));
      options.add(changed);
    }
    for (int i = 0; i < given.size(); i++) {
      groups.get(i).set_options(options.get(i));
      for (int place = 0; place < parameters.get(i).length; place++) {
        int number = ((Number) numbers.get(i).get(place)).intValue();
        setState(i, place, copied(saved.state().get(number), parameters.get(i)[place]));
      }
    }
  }

  /** Goes on from a state, like {@link #load_state_dict}. */
  public void loadStateDict(OptimizerState saved) {
    load_state_dict(saved);
  }

  /** Copies in the parameter's type, but for the count of steps, which belong to no scope. */
  private static Map<String, Tensor> copied(Map<String, Tensor> state, Tensor parameter) {
    Map<String, Tensor> copies = new LinkedHashMap<>();
    if (state == null) {
      return copies;
    }
    try (MemoryScope scope = new MemoryScope();
        NoGradGuard guard = new NoGradGuard()) {
      state.forEach(
          (name, tensor) -> {
            Tensor copy = tensor.detach().clone();
            if (!name.equals("step") && parameter.is_floating_point()) {
              copy = copy.to(parameter.scalar_type());
            }
            copies.put(name, Access.unscoped(copy));
          });
    }
    return copies;
  }

  /** Changes the parameters of one group. */
  abstract void update(int group, Step step, OptimizerOptions options);

  /** Changes every parameter that has a gradient. */
  public void step() {
    for (int i = 0; i < parameters.size(); i++) {
      try (Step step = new Step(parameters.get(i))) {
        update(i, step, groups.get(i).options());
      }
    }
  }

  /** Computes a loss and its gradients, then changes the parameters; returns the loss. */
  public Tensor step(Supplier<Tensor> closure) {
    Tensor loss;
    try (EnableGradGuard guard = new EnableGradGuard()) {
      loss = closure.get();
    }
    step();
    return loss;
  }

  /** Takes the gradients of the parameters away. */
  public void zero_grad() {
    zero_grad(true);
  }

  /** Takes the gradients of the parameters away, or sets them to zero. */
  public void zero_grad(boolean setToNone) {
    try (NoGradGuard guard = new NoGradGuard()) {
      for (Tensor[] group : parameters) {
        for (Tensor parameter : group) {
          if (setToNone) {
            parameter.set_grad(null);
          } else {
            try (Tensor gradient = parameter.grad()) {
              if (gradient.defined()) {
                gradient.zero_();
              }
            }
          }
        }
      }
    }
  }

  /** Takes the gradients of the parameters away. */
  public void zeroGrad() {
    zero_grad();
  }

  /** Lets go of the parameters and of what was remembered of them. */
  @Override
  public void close() {
    for (Tensor[] group : parameters) {
      for (Tensor parameter : group) {
        parameter.close();
      }
    }
  }
}
