package org.onetape.optim;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.onetape.Value;

/** How the parameters of one group are changed. */
public abstract class OptimizerOptions extends Value {
  private final Map<String, Double> scheduled = new LinkedHashMap<>();

  OptimizerOptions() {}

  /** Numbers that schedules keep with a group, such as {@code initial_lr}. */
  final Map<String, Double> scheduled() {
    return scheduled;
  }

  /** All that Python's groups have, but for the parameters. */
  final Map<String, Object> all() {
    Map<String, Object> all = numbers();
    all.putAll(scheduled);
    return all;
  }

  /** A copy that can be changed apart, with what schedules keep. */
  final OptimizerOptions whole() {
    OptimizerOptions other = copy();
    other.scheduled.putAll(scheduled);
    return other;
  }

  /** Sets what a group's map holds, with what schedules keep. */
  final void setAll(Map<String, ?> given) {
    set(given);
    Map<String, Object> known = numbers();
    given.forEach(
        (name, value) -> {
          if (!known.containsKey(name) && value instanceof Number) {
            scheduled.put(name, ((Number) value).doubleValue());
          }
        });
  }

  /** Whether there is momentum, by itself or as the first of betas. */
  final boolean hasMomentum() {
    Map<String, Object> numbers = numbers();
    return numbers.containsKey("momentum") || numbers.containsKey("betas");
  }

  /** The momentum, or the first of betas. */
  final double getMomentum() {
    Object betas = numbers().get("betas");
    return betas == null
        ? number(numbers(), "momentum", 0)
        : ((Number) ((List<?>) betas).get(0)).doubleValue();
  }

  /** Sets the momentum, or the first of betas. */
  final void setMomentum(double momentum) {
    Object betas = numbers().get("betas");
    set(
        betas == null
            ? Collections.singletonMap("momentum", momentum)
            : Collections.singletonMap("betas", List.of(momentum, ((List<?>) betas).get(1))));
  }

  /** The size of a step. */
  public abstract double get_lr();

  /** Sets the size of a step. */
  public abstract void set_lr(double rate);

  /** The options under the names that Python's groups have. */
  abstract Map<String, Object> numbers();

  /** Sets the options that a group's map holds; others stay. */
  abstract void set(Map<String, ?> numbers);

  /** The options as native code takes them. */
  abstract double[] values();

  /** Throws IllegalArgumentException, in Python's words, for options that make no sense. */
  abstract void check();

  static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }

  static double number(Map<String, ?> numbers, String name, double otherwise) {
    Object value = numbers.get(name);
    if (value == null) {
      return otherwise;
    }
    if (value instanceof Number) {
      return ((Number) value).doubleValue();
    }
    throw new IllegalArgumentException(
        "'" + name + "' of a group must be a number, but is " + value);
  }

  static double[] pair(Map<String, ?> numbers, String name, double first, double second) {
    Object value = numbers.get(name);
    if (value == null) {
      return new double[] {first, second};
    }
    if (value instanceof List && ((List<?>) value).size() == 2) {
      List<?> given = (List<?>) value;
      if (given.get(0) instanceof Number && given.get(1) instanceof Number) {
        return new double[] {
          ((Number) given.get(0)).doubleValue(), ((Number) given.get(1)).doubleValue()
        };
      }
    }
    throw new IllegalArgumentException(
        "'" + name + "' of a group must be two numbers, but is " + value);
  }

  static boolean flag(Map<String, ?> numbers, String name, boolean otherwise) {
    Object value = numbers.get(name);
    if (value == null) {
      return otherwise;
    }
    if (value instanceof Boolean) {
      return (Boolean) value;
    }
    throw new IllegalArgumentException(
        "'" + name + "' of a group must be a boolean, but is " + value);
  }

  /** Refuses what only Python's optimizers do. */
  static void refuse(Map<String, ?> numbers, String... names) {
    for (String name : names) {
      if (flag(numbers, name, false)) {
        throw new UnsupportedOperationException(name + " is not supported in Java");
      }
    }
  }

  /** The same options, which can be changed apart. */
  abstract OptimizerOptions copy();
}
