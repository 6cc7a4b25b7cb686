package org.onetape.nn;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.onetape.Tensor;
import org.onetape.TorchException;

/** Other tensors in the place of a module's parameters and buffers, for the length of a call. */
final class FunctionalCall {
  /** A tensor's place in a module. */
  private static final class Place {
    final String name;
    final Module module;
    final Map<String, Tensor> owner;
    final String key;
    final Tensor before;

    Place(String prefix, Module module, Map<String, Tensor> owner, String key) {
      this.name = prefix + key;
      this.module = module;
      this.owner = owner;
      this.key = key;
      this.before = owner.get(key);
    }

    void put(Tensor tensor) {
      module.replace(owner, key, tensor);
    }
  }

  private final List<Place> places = new ArrayList<>();

  private FunctionalCall(Module module) {
    collect("", module);
  }

  private void collect(String prefix, Module module) {
    for (Map<String, Tensor> owner : List.of(module.parameterMap(), module.bufferMap())) {
      owner.keySet().forEach(key -> places.add(new Place(prefix, module, owner, key)));
    }
    module.childMap().forEach((name, child) -> collect(prefix + name + ".", child));
  }

  static <T> T call(Module module, Map<String, Tensor> tensors, Supplier<T> call) {
    FunctionalCall swap = new FunctionalCall(module);
    Map<Place, Tensor> chosen = swap.choose(module, tensors);
    try {
      chosen.forEach((place, tensor) -> place.put(tensor));
      return call.get();
    } finally {
      chosen.keySet().forEach(place -> place.put(place.before));
    }
  }

  /** What goes where: a tensor that the module has under several names is replaced under all. */
  private Map<Place, Tensor> choose(Module module, Map<String, Tensor> tensors) {
    Map<Place, Tensor> chosen = new LinkedHashMap<>();
    tensors.forEach(
        (name, tensor) -> {
          Place named = find(module, name);
          for (Place place : places) {
            if (!place.before.defined() ? place != named : !place.before.equals(named.before)) {
              continue;
            }
            Tensor other = chosen.putIfAbsent(place, tensor);
            if (other != null && !other.equals(tensor)) {
              throw new IllegalArgumentException(
                  "functional_call got multiple values for "
                      + name
                      + " and another name of the same tensor");
            }
          }
        });
    return chosen;
  }

  private Place find(Module module, String name) {
    for (Place place : places) {
      if (place.name.equals(name)) {
        return place;
      }
    }
    throw new TorchException(module.name() + " has no parameter or buffer `" + name + "`");
  }
}
