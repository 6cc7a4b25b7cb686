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
