package org.onetape.optim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.onetape.Tensor;
import org.onetape.TensorVector;
import org.onetape.internal.Engine;

/** Stochastic gradient descent, with momentum if so said. */
public class SGD extends Optimizer {
  private final List<Tensor[]> momentum = new ArrayList<>();

  /** Changes the given parameters in steps of a size. */
  public SGD(TensorVector params, double lr) {
    this(params, new SGDOptions(lr));
  }

  /** Changes the given parameters. */
  public SGD(TensorVector params, SGDOptions options) {
    this(group(params), options);
  }

  /** Changes the given groups of parameters. */
  public SGD(OptimizerParamGroupVector groups, SGDOptions options) {
    super(groups, checked(options));
  }

  private static SGDOptions checked(SGDOptions options) {
    require(options.lr().get() >= 0, "Invalid learning rate: " + options.lr().get());
    require(options.momentum().get() >= 0, "Invalid momentum value: " + options.momentum().get());
    require(
        options.weight_decay().get() >= 0,
        "Invalid weight_decay value: " + options.weight_decay().get());
    require(
        !options.nesterov().get()
            || (options.momentum().get() > 0 && options.dampening().get() == 0),
        "Nesterov momentum requires a momentum and zero dampening");
    return options;
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }

  @Override
  Map<String, Tensor> stateOf(int group, int place) {
    Tensor[] buffers = group < momentum.size() ? momentum.get(group) : null;
    return buffers == null || !buffers[place].defined()
        ? Map.of()
        : Map.of("momentum_buffer", buffers[place]);
  }

  @Override
  void setState(int group, int place, Map<String, Tensor> state) {
    while (momentum.size() <= group) {
      momentum.add(null);
    }
    Tensor buffer = state.getOrDefault("momentum_buffer", new Tensor());
    Tensor[] buffers = momentum.get(group);
    if (buffers == null) {
      if (!buffer.defined()) {
        return;
      }
      buffers = new Tensor[groupSize(group)];
      Arrays.setAll(buffers, i -> new Tensor());
      momentum.set(group, buffers);
    }
    buffers[place].close();
    buffers[place] = buffer;
  }

  @Override
  void update(int group, Step step, OptimizerOptions options) {
    SGDOptions how = (SGDOptions) options;
    while (momentum.size() <= group) {
      momentum.add(null);
    }
    if (how.momentum().get() != 0 && momentum.get(group) == null) {
      momentum.set(group, step.undefined());
    }
    Tensor[] buffers = momentum.get(group);
    long[] made =
        Engine.sgdStep(
            step.params(),
            step.grads(),
            buffers == null ? null : step.pick(buffers),
            how.lr().get(),
            how.momentum().get(),
            how.dampening().get(),
            how.weight_decay().get(),
            how.nesterov().get());
    step.store(made, buffers);
  }

  @Override
  public void close() {
    super.close();
    for (Tensor[] buffers : momentum) {
      if (buffers != null) {
        for (Tensor buffer : buffers) {
          buffer.close();
        }
      }
    }
  }
}
