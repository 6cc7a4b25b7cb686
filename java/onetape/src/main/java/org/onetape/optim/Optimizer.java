package org.onetape.optim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.onetape.EnableGradGuard;
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
