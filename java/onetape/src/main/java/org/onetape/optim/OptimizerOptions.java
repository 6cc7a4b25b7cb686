package org.onetape.optim;

import java.util.Map;
import org.onetape.Value;

/** How the parameters of one group are changed. */
public abstract class OptimizerOptions extends Value {
  OptimizerOptions() {}

  /** The size of a step. */
  public abstract double get_lr();

  /** Sets the size of a step. */
  public abstract void set_lr(double rate);

  /** The options under the names that Python's groups have. */
  abstract Map<String, Object> numbers();

  /** Sets the options that a group's map holds; others stay. */
  abstract void set(Map<String, ?> numbers);

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
