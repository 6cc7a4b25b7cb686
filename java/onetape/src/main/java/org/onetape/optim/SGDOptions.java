package org.onetape.optim;

import java.util.LinkedHashMap;
import java.util.Map;
import org.onetape.BoolPointer;
import org.onetape.DoublePointer;

/** How {@link SGD} changes parameters. */
public final class SGDOptions extends OptimizerOptions {
  private final DoublePointer lr;
  private final DoublePointer momentum = new DoublePointer(new double[] {0});
  private final DoublePointer dampening = new DoublePointer(new double[] {0});
  private final DoublePointer weightDecay = new DoublePointer(new double[] {0});
  private final BoolPointer nesterov = new BoolPointer(false);

  /** Steps of the given size, without momentum. */
  public SGDOptions(double lr) {
    this.lr = new DoublePointer(new double[] {lr});
  }

  @Override
  SGDOptions copy() {
    return new SGDOptions(lr.get())
        .momentum(momentum.get())
        .dampening(dampening.get())
        .weight_decay(weightDecay.get())
        .nesterov(nesterov.get());
  }

  @Override
  Map<String, Object> numbers() {
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("lr", lr.get());
    numbers.put("momentum", momentum.get());
    numbers.put("dampening", dampening.get());
    numbers.put("weight_decay", weightDecay.get());
    numbers.put("nesterov", nesterov.get());
    numbers.put("maximize", false);
    numbers.put("foreach", null);
    numbers.put("differentiable", false);
    numbers.put("fused", null);
    return numbers;
  }

  @Override
  void set(Map<String, ?> numbers) {
    refuse(numbers, "maximize", "differentiable");
    lr(number(numbers, "lr", lr.get()));
    momentum(number(numbers, "momentum", momentum.get()));
    dampening(number(numbers, "dampening", dampening.get()));
    weight_decay(number(numbers, "weight_decay", weightDecay.get()));
    nesterov(flag(numbers, "nesterov", nesterov.get()));
  }

  @Override
  public double get_lr() {
    return lr.get();
  }

  @Override
  public void set_lr(double rate) {
    lr.put(rate);
  }

  /** The size of a step. */
  public DoublePointer lr() {
    return lr;
  }

  /** Sets the size of a step; returns this. */
  public SGDOptions lr(double rate) {
    lr.put(rate);
    return this;
  }

  /** How much of the direction before is kept. */
  public DoublePointer momentum() {
    return momentum;
  }

  /** Sets how much of the direction before is kept; returns this. */
  public SGDOptions momentum(double share) {
    momentum.put(share);
    return this;
  }

  /** How much of the gradient does not enter the direction. */
  public DoublePointer dampening() {
    return dampening;
  }

  /** Sets how much of the gradient does not enter the direction; returns this. */
  public SGDOptions dampening(double share) {
    dampening.put(share);
    return this;
  }

  /** How much of a parameter is added to its gradient. */
  public DoublePointer weight_decay() {
    return weightDecay;
  }

  /** Sets how much of a parameter is added to its gradient; returns this. */
  public SGDOptions weight_decay(double factor) {
    weightDecay.put(factor);
    return this;
  }

  /** Whether the gradient counts once more beside the momentum (Nesterov's form). */
  public BoolPointer nesterov() {
    return nesterov;
  }

  /** Sets whether the gradient counts once more beside the momentum; returns this. */
  public SGDOptions nesterov(boolean wanted) {
    nesterov.put(wanted);
    return this;
  }
}
