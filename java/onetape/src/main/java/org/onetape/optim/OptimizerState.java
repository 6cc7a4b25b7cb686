package org.onetape.optim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.onetape.Tensor;

/**
 * What an optimizer remembers, as Python's {@code state_dict()} tells it: the state of each
 * parameter under its number, and the numbers of each group.
 */
public final class OptimizerState {
  private final Map<Integer, Map<String, Tensor>> state;
  private final List<Map<String, Object>> groups;

  /**
   * A state, with parameters as numbers in the order of the groups.
   *
   * @param state such as {@code {0: {"momentum_buffer": tensor}}}
   * @param groups such as {@code [{"lr": 0.1, "params": [0, 1]}]}; what is missing stays as it is
   */
  public OptimizerState(
      Map<? extends Number, ? extends Map<String, Tensor>> state,
      List<? extends Map<String, ?>> groups) {
    this.state = new LinkedHashMap<>();
    state.forEach((number, own) -> this.state.put(number.intValue(), new LinkedHashMap<>(own)));
    this.groups = new ArrayList<>();
    groups.forEach(group -> this.groups.add(new LinkedHashMap<>(group)));
  }

  /**
   * A state from the maps that files hold it in.
   *
   * @throws IllegalArgumentException if they do not hold one
   */
  public static OptimizerState of(Map<?, ?> saved) {
    Object state = saved.get("state");
    Object groups = saved.get("param_groups");
    if (!(state instanceof Map) || !(groups instanceof List)) {
      throw new IllegalArgumentException("the map holds no state of an optimizer");
    }
    OptimizerState made = new OptimizerState(Map.of(), List.of());
    ((Map<?, ?>) state)
        .forEach(
            (number, own) -> {
              Map<String, Tensor> tensors = new LinkedHashMap<>();
              entries(own)
                  .forEach(
                      (name, tensor) -> {
                        if (tensor instanceof Tensor) {
                          tensors.put(name, (Tensor) tensor);
                        }
                      });
              made.state.put(numberOf(number), tensors);
            });
    ((List<?>) groups).forEach(group -> made.groups.add(entries(group)));
    return made;
  }

  private static int numberOf(Object number) {
    if (!(number instanceof Number)) {
      throw new IllegalArgumentException("the number of a parameter is " + number);
    }
    return ((Number) number).intValue();
  }

  private static Map<String, Object> entries(Object map) {
    if (!(map instanceof Map)) {
      throw new IllegalArgumentException("the map holds no state of an optimizer");
    }
    Map<String, Object> made = new LinkedHashMap<>();
    ((Map<?, ?>) map).forEach((name, value) -> made.put(String.valueOf(name), value));
    return made;
  }

  /** The state as maps that files can hold, such as Python's optimizers load. */
  public Map<String, Object> toMap() {
    Map<String, Object> made = new LinkedHashMap<>();
    made.put("state", state);
    made.put("param_groups", groups);
    return made;
  }

  /** The state of each parameter that has one, under its number. */
  public Map<Integer, Map<String, Tensor>> state() {
    return state;
  }

  /** The options of each group, with the numbers of its parameters under {@code "params"}. */
  public List<Map<String, Object>> param_groups() {
    return groups;
  }

  /** The numbers and the options, without elements of tensors. */
  @Override
  public String toString() {
    Map<Integer, Object> names = new LinkedHashMap<>();
    state.forEach((number, own) -> names.put(number, own.keySet()));
    return "{state: " + names + ", param_groups: " + groups + "}";
  }
}
