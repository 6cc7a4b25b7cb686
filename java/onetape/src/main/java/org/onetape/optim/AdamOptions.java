package org.onetape.optim;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.onetape.BoolPointer;
import org.onetape.DoublePointer;

/** How {@link Adam} changes parameters. */
public class AdamOptions extends OptimizerOptions {
  private final DoublePointer lr;
  private final DoublePointer betas = new DoublePointer(0.9, 0.999);
  private final DoublePointer eps = new DoublePointer(new double[] {1e-8});
  private final DoublePointer weightDecay = new DoublePointer(new double[] {0});
  private final BoolPointer amsgrad = new BoolPointer(false);

  /** Steps of 0.001. */
  public AdamOptions() {
    this(1e-3);
  }

  /** Steps of the given size. */
  public AdamOptions(double lr) {
    this.lr = new DoublePointer(new double[] {lr});
  }

  @Override
  AdamOptions copy() {
    return copyTo(new AdamOptions());
  }

  final <O extends AdamOptions> O copyTo(O other) {
    other.lr(lr.get());
    other.betas(betas.get(0), betas.get(1));
    other.eps(eps.get());
    other.weight_decay(weightDecay.get());
    other.amsgrad(amsgrad.get());
    return other;
  }

  @Override
  Map<String, Object> numbers() {
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("lr", lr.get());
    numbers.put("betas", List.of(betas.get(0), betas.get(1)));
    numbers.put("eps", eps.get());
    numbers.put("weight_decay", weightDecay.get());
    numbers.put("amsgrad", amsgrad.get());
    numbers.put("maximize", false);
    numbers.put("foreach", null);
    numbers.put("capturable", false);
    numbers.put("differentiable", false);
    numbers.put("fused", null);
    numbers.put("decoupled_weight_decay", decoupled());
    return numbers;
  }

  /** Whether weight decay shrinks the parameters instead of adding to the gradients. */
  boolean decoupled() {
    return false;
  }

  @Override
  void set(Map<String, ?> numbers) {
    refuse(numbers, "maximize", "differentiable");
    if (numbers.get("betas") instanceof List) {
      List<?> given = (List<?>) numbers.get("betas");
      if (given.size() != 2) {
        throw new IllegalArgumentException(
            "'betas' of a group must be two numbers, but is " + given);
      }
      betas(
          number(Map.of("betas", given.get(0)), "betas", 0),
          number(Map.of("betas", given.get(1)), "betas", 0));
    }
    lr(number(numbers, "lr", lr.get()));
    eps(number(numbers, "eps", eps.get()));
    weight_decay(number(numbers, "weight_decay", weightDecay.get()));
    amsgrad(flag(numbers, "amsgrad", amsgrad.get()));
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
  public AdamOptions lr(double rate) {
    lr.put(rate);
    return this;
  }

  /** How slowly the means of the gradient and of its square follow. */
  public DoublePointer betas() {
    return betas;
  }

  /** Sets how slowly the means of the gradient and of its square follow; returns this. */
  public AdamOptions betas(double first, double second) {
    betas.put(0, first);
    betas.put(1, second);
    return this;
  }

  /** What is added to the denominator. */
  public DoublePointer eps() {
    return eps;
  }

  /** Sets what is added to the denominator; returns this. */
  public AdamOptions eps(double value) {
    eps.put(value);
    return this;
  }

  /** How much of a parameter is added to its gradient. */
  public DoublePointer weight_decay() {
    return weightDecay;
  }

  /** Sets how much of a parameter is added to its gradient; returns this. */
  public AdamOptions weight_decay(double factor) {
    weightDecay.put(factor);
    return this;
  }

  /** Whether the largest mean square so far is used. */
  public BoolPointer amsgrad() {
    return amsgrad;
  }

  /** Sets whether the largest mean square so far is used; returns this. */
  public AdamOptions amsgrad(boolean wanted) {
    amsgrad.put(wanted);
    return this;
  }
}
