package org.onetape.optim;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.onetape.Tensor;
import org.onetape.TensorVector;

/**
 * Steps along the gradient times an estimate of the inverse Hessian, made from the last steps.
 *
 * <pre>{@code
 * optimizer.step(
 *     () -> {
 *       optimizer.zeroGrad();
 *       Tensor loss = lossFunction.apply(model.forward(input), target);
 *       loss.backward();
 *       return loss;
 *     });
 * }</pre>
 */
public class LBFGS extends Optimizer {
  private Tensor[] params;
  private final LbfgsMemory memory = new LbfgsMemory();

  /** Changes the given parameters with the options that are usual. */
  public LBFGS(TensorVector params) {
    this(params, new LBFGSOptions());
  }

  /** Changes the given parameters in steps of a size. */
  public LBFGS(TensorVector params, double lr) {
    this(params, new LBFGSOptions(lr));
  }

  /** Changes the given parameters. */
  public LBFGS(TensorVector params, LBFGSOptions options) {
    this(group(params), options);
  }

  /** Changes the parameters of the one group that is given. */
  public LBFGS(OptimizerParamGroupVector groups, LBFGSOptions options) {
    super(options);
    OptimizerOptions.require(
        groups.size() < 2, "LBFGS doesn't support per-parameter options (parameter groups)");
    add(groups);
  }

  @Override
  public void add_param_group(OptimizerParamGroup group) {
    OptimizerOptions.require(
        param_groups().empty(), "LBFGS doesn't support per-parameter options (parameter groups)");
    for (Tensor parameter : group.params()) {
      if (parameter.is_complex()) {
        throw new UnsupportedOperationException("LBFGS does not support complex parameters");
      }
    }
    super.add_param_group(group);
  }

  @Override
  void added(long group, Tensor[] parameters) {
    params = parameters;
  }

  @Override
  void update(int group, OptimizerOptions options) {
    throw new IllegalArgumentException("LBFGS requires a closure function");
  }

  /** Computes the loss several times and changes the parameters; returns the loss before. */
  @Override
  public Tensor step(Supplier<Tensor> closure) {
    LBFGSOptions options = (LBFGSOptions) param_groups().get(0).options();
    Tensor loss = new LbfgsStep(params, options, memory, closure).run();
    countStep();
    return loss;
  }

  @Override
  public void zero_grad(boolean setToNone) {
    clear(params, setToNone);
  }

  /**
   * There is one state for all parameters, kept with the first. What Python keeps in lists are
   * tensors with one row an inner step here.
   */
  @Override
  Map<String, Tensor> stateOf(int group, int place) {
    return place == 0 ? memory.saved() : new LinkedHashMap<>();
  }

  @Override
  void setState(int group, int place, Map<String, Tensor> state) {
    if (place == 0) {
      memory.load(state);
    }
    state.values().forEach(Tensor::close);
  }

  @Override
  public void close() {
    super.close();
    memory.clear();
  }
}
