package org.onetape.optim;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.onetape.DoubleOptional;
import org.onetape.MemoryScope;
import org.onetape.NoGradGuard;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.TensorVector;
import org.onetape.global.torch;
import org.onetape.nn.BatchNorm1dImpl;
import org.onetape.nn.BatchNorm2dImpl;
import org.onetape.nn.BatchNorm3dImpl;
import org.onetape.nn.Module;
import org.onetape.nn.RunningNorm;

/**
 * A module whose parameters are averages of those of a module that is trained.
 *
 * <pre>{@code
 * AveragedModel averaged = new AveragedModel(model, new Net());
 * for (…) {
 *   optimizer.step();
 *   averaged.updateParameters(model);
 * }
 * averaged.forward(input);
 * }</pre>
 */
public class AveragedModel extends Module {
  /** Makes a new average. */
  @FunctionalInterface
  public interface Average {
    /**
     * The new average.
     *
     * @param averaged the average so far
     * @param current a value of the module that is trained
     * @param count the number of values in the average
     */
    Tensor apply(Tensor averaged, Tensor current, long count);
  }

  private final Module module;
  private final Tensor count;
  private final Average average;
  private final boolean useBuffers;

  /**
   * A plain mean.
   *
   * @param model the module that is trained
   * @param copy another module of the same structure, which holds the averages
   */
  public AveragedModel(Module model, Module copy) {
    this(model, copy, mean(), false);
  }

  /**
   * An average of one's own.
   *
   * @param useBuffers whether buffers are averaged, too; else they are copied
   * @throws org.onetape.TorchException if the modules differ in their structure
   */
  @SuppressWarnings("this-escape") // a module registers its parts
  public AveragedModel(Module model, Module copy, Average average, boolean useBuffers) {
    this.average = average;
    this.useBuffers = useBuffers;
    copy.load_state_dict(model.state_dict());
    module = register_module("module", copy);
    count = register_buffer("n_averaged", torch.tensor(0L));
  }

  /** The plain mean of all values. */
  public static Average mean() {
    return (averaged, current, count) ->
        averaged.add(current.sub(averaged).div(new Scalar(count + 1)));
  }

  /**
   * The exponential moving average, which keeps a share of itself.
   *
   * @throws IllegalArgumentException if the share is not between 0 and 1
   */
  public static Average moving(double decay) {
    OptimizerOptions.require(
        decay >= 0.0 && decay <= 1.0,
        "Invalid decay value " + decay + " provided. Please provide a value in [0,1] range.");
    return (averaged, current, count) ->
        averaged.mul(new Scalar(decay)).add(current.mul(new Scalar(1 - decay)));
  }

  /** The module that holds the averages. */
  public Module module() {
    return module;
  }

  @Override
  public Tensor forward(Tensor input) {
    return module.forward(input);
  }

  /** Takes the parameters of the module that is trained into the averages. */
  public void update_parameters(Module model) {
    try (MemoryScope scope = new MemoryScope();
        NoGradGuard guard = new NoGradGuard()) {
      long before = count.item_long();
      take(module.parameters(), model.parameters(), before);
      take(module.buffers(), model.buffers(), useBuffers ? before : 0);
      count.add_(new Scalar(1L));
    }
  }

  /** Takes the parameters of the module that is trained into the averages. */
  public final void updateParameters(Module model) {
    update_parameters(model);
  }

  /**
   * Makes the running statistics of a model's batch norm layers anew, as means over the inputs.
   *
   * @param input what of an item is the model's input
   */
  public static <T> void update_bn(
      Iterable<T> loader, Function<? super T, Tensor> input, Module model) {
    Map<RunningNorm, DoubleOptional> momenta = new LinkedHashMap<>();
    for (Module part : model.modules()) {
      if (part instanceof BatchNorm1dImpl
          || part instanceof BatchNorm2dImpl
          || part instanceof BatchNorm3dImpl) {
        RunningNorm norm = (RunningNorm) part;
        norm.reset_running_stats();
        momenta.put(norm, new DoubleOptional(norm.momentum()));
      }
    }
    if (momenta.isEmpty()) {
      return;
    }
    boolean wasTraining = model.is_training();
    model.train();
    momenta.keySet().forEach(norm -> norm.momentum().put(new DoubleOptional()));
    try (NoGradGuard guard = new NoGradGuard()) {
      for (T item : loader) {
        try (MemoryScope scope = new MemoryScope()) {
          model.call(input.apply(item));
        }
      }
    } finally {
      momenta.forEach((norm, momentum) -> norm.momentum().put(momentum));
      model.train(wasTraining);
    }
  }

  /** Makes the running statistics of a model's batch norm layers anew, as means over the inputs. */
  public static void update_bn(Iterable<Tensor> inputs, Module model) {
    update_bn(inputs, Function.identity(), model);
  }

  private void take(TensorVector mine, TensorVector theirs, long before) {
    OptimizerOptions.require(
        mine.size() == theirs.size(), "the modules have different numbers of tensors");
    for (long i = 0; i < mine.size(); i++) {
      Tensor averaged = mine.get(i).detach();
      Tensor current = theirs.get(i).detach();
      averaged.copy_(before == 0 ? current : average.apply(averaged, current, before));
    }
  }
}
