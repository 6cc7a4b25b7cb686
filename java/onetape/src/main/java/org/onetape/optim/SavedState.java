package org.onetape.optim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads the states of schedules. */
final class SavedState {
  private SavedState() {}

  private static Object need(Map<String, ?> state, String name) {
    if (!state.containsKey(name)) {
      throw new IllegalArgumentException("the state of the schedule has no '" + name + "'");
    }
    return state.get(name);
  }

  static double number(Map<String, ?> state, String name) {
    Object value = need(state, name);
    if (value instanceof Number) {
      return ((Number) value).doubleValue();
    }
    throw new IllegalArgumentException("'" + name + "' must be a number, but is " + value);
  }

  static int integer(Map<String, ?> state, String name) {
    return (int) number(state, name);
  }

  static String text(Map<String, ?> state, String name) {
    return String.valueOf(need(state, name));
  }

  static boolean flag(Map<String, ?> state, String name) {
    return Boolean.TRUE.equals(need(state, name));
  }

  static double[] numbers(Map<String, ?> state, String name) {
    Object value = need(state, name);
    if (value instanceof List && ((List<?>) value).stream().allMatch(Number.class::isInstance)) {
      return ((List<?>) value).stream().mapToDouble(one -> ((Number) one).doubleValue()).toArray();
    }
    throw new IllegalArgumentException("'" + name + "' must be numbers, but is " + value);
  }

  static List<Double> list(double[] values) {
    List<Double> list = new ArrayList<>();
    for (double value : values) {
      list.add(value);
    }
    return list;
  }
}
