package org.onetape.optim;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.onetape.Tensor;
import org.onetape.internal.Access;
import org.onetape.internal.Engine;
import org.onetape.internal.NativeRef;
import org.onetape.internal.RefList;

/**
 * What the optimizers with a native step have in common: native code holds the parameters of each
 * group and what is remembered of them, so that a step is one call.
 */
abstract class NativeOptimizer extends Optimizer {
  /** The native side of one group. */
  private static final class Group {
    final long handle;
    final NativeRef ref;

    Group(String table, Tensor[] parameters) {
      handle = Engine.newOptimizer(table, parameters);
      ref = RefList.unscoped().own(this, handle);
    }

    void begin(double[] options) {
      Engine.beginOptimizer(handle, options);
      Reference.reachabilityFence(this);
    }

    void step(double[] options) {
      Engine.stepOptimizer(handle, options);
      Reference.reachabilityFence(this);
    }

    void clear(boolean setToNone) {
      Engine.clearGrads(handle, setToNone);
      Reference.reachabilityFence(this);
    }

    long[] state(int place) {
      long[] states = Engine.optimizerState(handle, place);
      Reference.reachabilityFence(this);
      return states;
    }

    void setState(int place, Tensor[] states) {
      Engine.setOptimizerState(handle, place, states);
      Reference.reachabilityFence(this);
    }
  }

  private final String table;
  private final String[] states;
  private final List<Group> natives = new ArrayList<>();

  /**
   * An optimizer without parameters yet.
   *
   * @param table its name in the tables
   * @param states the names of what it remembers, in the order of the table
   */
  NativeOptimizer(String table, OptimizerOptions options, String... states) {
    super(options);
    this.table = table;
    this.states = states;
  }

  /** Throws IllegalArgumentException for a parameter with another number of dimensions. */
  final void requireDims(long dims, String message) {
    for (OptimizerParamGroup group : param_groups()) {
      for (Tensor parameter : group.params()) {
        OptimizerOptions.require(
            parameter.dim() == dims,
            message + "torch.Size(" + Arrays.toString(parameter.shape()) + ")");
      }
    }
  }

  @Override
  void added(long group, Tensor[] parameters) {
    Group made = new Group(table, parameters);
    made.begin(param_groups().get(group).options().values());
    natives.add(made);
  }

  @Override
  void update(int group, OptimizerOptions options) {
    natives.get(group).step(options.values());
  }

  @Override
  public double[][] numbers() {
    double[][] all = new double[natives.size()][];
    for (int i = 0; i < all.length; i++) {
      all[i] = param_groups().get(i).options().values();
    }
    return all;
  }

  @Override
  public void zero_grad(boolean setToNone) {
    for (Group group : natives) {
      group.clear(setToNone);
    }
  }

  @Override
  Map<String, Tensor> stateOf(int group, int place) {
    Map<String, Tensor> state = new LinkedHashMap<>();
    Tensor[] tensors = Access.tensors(natives.get(group).state(place));
    for (int i = 0; i < states.length; i++) {
      if (tensors[i].defined()) {
        state.put(states[i], tensors[i]);
      }
    }
    return state;
  }

  @Override
  void setState(int group, int place, Map<String, Tensor> state) {
    Tensor[] tensors = new Tensor[states.length];
    for (int i = 0; i < states.length; i++) {
      tensors[i] = state.get(states[i]);
    }
    natives.get(group).setState(place, tensors);
    state.values().forEach(Tensor::close);
  }

  @Override
  public void close() {
    super.close();
    for (Group group : natives) {
      group.ref.close();
    }
  }
}
