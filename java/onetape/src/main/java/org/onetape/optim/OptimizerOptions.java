package org.onetape.optim;

import java.util.Arrays;
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

  /** Several numbers under one name. */
  static double[] numbers(Map<String, ?> numbers, String name, double... otherwise) {
    return numbers(numbers, name, false, otherwise);
  }

  /** The same, of which the first may be missing: then it is nan. */
  static double[] numbersOrNone(Map<String, ?> numbers, String name, double... otherwise) {
    return numbers(numbers, name, true, otherwise);
  }

  private static double[] numbers(
      Map<String, ?> numbers, String name, boolean firstMayMiss, double... otherwise) {
    Object value = numbers.get(name);
    if (value == null) {
      return otherwise;
    }
    List<?> given = value instanceof List ? (List<?>) value : List.of();
    double[] found = new double[otherwise.length];
    boolean fits = given.size() == found.length;
    for (int i = 0; fits && i < found.length; i++) {
      Object one = given.get(i);
      boolean none = i == 0 && firstMayMiss && one == null;
      fits = none || one instanceof Number;
      if (fits) {
        found[i] = none ? Double.NaN : ((Number) one).doubleValue();
      }
    }
    if (!fits) {
      throw new IllegalArgumentException(
          "'" + name + "' of a group must be " + found.length + " numbers, but is " + value);
    }
    return found;
  }

  /** Two numbers, null for the first if that is nan. */
  static List<Double> optionalFirst(double first, double second) {
    return Arrays.asList(Double.isNaN(first) ? null : (Double) first, (Double) second);
  }

  static String word(Map<String, ?> numbers, String name, String otherwise) {
    Object value = numbers.containsKey(name) ? numbers.get(name) : otherwise;
    if (value == null || value instanceof String) {
      return (String) value;
    }
    throw new IllegalArgumentException("'" + name + "' of a group must be a word, but is " + value);
  }

  /** The number of a word among others, from 1; 0 for null, and -1 for another word. */
  static double numberOf(String word, String... words) {
    int place = Arrays.asList(words).indexOf(word);
    return word == null ? 0 : place < 0 ? -1 : place + 1;
  }

  /** Whether a word is null or one of others. */
  static boolean oneOf(String word, String... words) {
    return numberOf(word, words) >= 0;
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
