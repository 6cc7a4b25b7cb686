package org.onetape.optim;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
  private long steps;

  /** The subclass adds the groups once it is complete. */
  Optimizer(OptimizerOptions defaults) {
    defaults.check();
    this.defaults = defaults;
  }

  static OptimizerParamGroupVector group(TensorVector params) {
    return new OptimizerParamGroupVector(new OptimizerParamGroup(params));
  }

  final void add(OptimizerParamGroupVector given) {
    if (given.empty() || (given.size() == 1 && given.get(0).params().empty())) {
      throw new IllegalArgumentException("optimizer got an empty parameter list");
    }
    for (OptimizerParamGroup group : given) {
      add_param_group(group);
    }
  }

  /**
   * Has another group of parameters changed, too.
   *
   * @throws IllegalArgumentException if a parameter is no leaf, or in a group already, or if the
   *     group has the options of another optimizer; nothing is changed then
   */
  public void add_param_group(OptimizerParamGroup group) {
    OptimizerOptions options = group.has_options() ? group.options() : defaults.copy();
    if (options.getClass() != defaults.getClass()) {
      throw new IllegalArgumentException(
          getClass().getSimpleName()
              + " takes "
              + defaults.getClass().getSimpleName()
              + ", but a group has "
              + options.getClass().getSimpleName());
    }
    Set<Tensor> taken = new HashSet<>();
    for (Tensor[] others : parameters) {
      taken.addAll(List.of(others));
    }
    for (Tensor parameter : group.params()) {
      if (!parameter.is_leaf() && !parameter.retains_grad()) {
        throw new IllegalArgumentException("can't optimize a non-leaf Tensor");
      }
      if (taken.contains(parameter)) {
        throw new IllegalArgumentException(
            "some parameters appear in more than one parameter group");
      }
    }
    List<Tensor> own = new ArrayList<>();
    for (Tensor parameter : group.params()) {
      own.add(Access.unscoped(parameter));
    }
    group.set_options(options);
    groups.push_back(group);
    parameters.add(own.toArray(new Tensor[0]));
    added(groups.size() - 1, parameters.get(parameters.size() - 1));
  }

  /** Has another group of parameters changed, too, like {@link #add_param_group}. */
  public final void addParamGroup(OptimizerParamGroup group) {
    add_param_group(group);
  }

  /** Called for each new group. */
  abstract void added(long group, Tensor[] parameters);

  /** All parameters, group by group. */
  public TensorVector parameters() {
    TensorVector all = new TensorVector();
    for (Tensor[] group : parameters) {
      for (Tensor parameter : group) {
        all.push_back(parameter);
      }
    }
    return all;
  }

  /** The groups of parameters, with their options. */
  public OptimizerParamGroupVector param_groups() {
    return groups;
  }

  /** The options of groups that have none of their own. */
  public OptimizerOptions defaults() {
    return defaults;
  }

  /** The parameters of a group, as many as it has. */
  final Tensor[] parameters(int group) {
    return parameters.get(group);
  }

  /**
   * What is remembered of a parameter, by its group and its place in it; empty if nothing is. The
   * tensors are new objects of the current scope.
   */
  abstract Map<String, Tensor> stateOf(int group, int place);

  /**
   * Remembers of a parameter what is given instead; tensors that this optimizer owns from then on.
   */
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
        Map<String, Tensor> own = stateOf(i, place);
        if (!own.isEmpty()) {
          state.put(number, own);
        }
        numbers.add(number++);
      }
      Map<String, Object> group = groups.get(i).options().all();
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
      OptimizerOptions changed = groups.get(i).options().whole();
      changed.setAll(given.get(i));
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
  abstract void update(int group, OptimizerOptions options);

  /** Changes every parameter that has a gradient. */
  public void step() {
    for (int i = 0; i < parameters.size(); i++) {
      update(i, groups.get(i).options());
    }
    steps++;
  }

  /**
   * The numbers of each group, as a recorded step ({@link org.onetape.jit.CompiledStep}) takes
   * them; null for an optimizer whose step is not native.
   */
  public double[][] numbers() {
    return null;
  }

  /** Counts a step that a tape made, for the schedules. */
  public final void noteStep() {
    countStep();
  }

  final void countStep() {
    steps++;
  }

  /** Takes gradients away, or sets them to zero. */
  static void clear(Tensor[] parameters, boolean setToNone) {
    try (MemoryScope scope = new MemoryScope();
        NoGradGuard guard = new NoGradGuard()) {
      for (Tensor parameter : parameters) {
        Tensor gradient = parameter.grad();
        if (gradient.defined() && setToNone) {
          parameter.set_grad(null);
        } else if (gradient.defined()) {
          gradient.zero_();
        }
      }
    }
  }

  /** How often step() was called, for the schedules. */
  final long steps() {
    return steps;
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
  public abstract void zero_grad(boolean setToNone);

  /** Takes the gradients of the parameters away. */
  public void zeroGrad() {
    zero_grad();
  }

  /** Takes the gradients of the parameters away, or sets them to zero. */
  public void zeroGrad(boolean setToNone) {
    zero_grad(setToNone);
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
