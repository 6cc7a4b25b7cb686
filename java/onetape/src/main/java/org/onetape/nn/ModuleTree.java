package org.onetape.nn;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.onetape.StringTensorDict;
import org.onetape.Tensor;

/** A module with its parts, their parts, and so on, each under the path that leads to it. */
final class ModuleTree {
  private final Module root;

  ModuleTree(Module root) {
    this.root = root;
  }

  /** Calls a function with every path and what is there; a part that stands twice comes twice. */
  void visit(BiConsumer<String, Module> visitor) {
    visit("", root, visitor);
  }

  private static void visit(String path, Module module, BiConsumer<String, Module> visitor) {
    visitor.accept(path, module);
    module.childMap().forEach((name, child) -> visit(join(path, name), child, visitor));
  }

  static String join(String path, String last) {
    return path.isEmpty() ? last : path + "." + last;
  }

  /** Every module once, under its first path. */
  Map<String, Module> modules() {
    Map<String, Module> found = new LinkedHashMap<>();
    Set<Module> seen = new LinkedHashSet<>();
    visit(
        (path, module) -> {
          if (seen.add(module)) {
            found.put(path, module);
          }
        });
    return found;
  }

  /** The parameters or the buffers, each once. */
  Map<String, Tensor> tensors(boolean recurse, boolean wantParameters) {
    Map<String, Tensor> found = new LinkedHashMap<>();
    Set<Tensor> seen = new LinkedHashSet<>();
    BiConsumer<String, Module> take =
        (path, module) ->
            (wantParameters ? module.parameterMap() : module.bufferMap())
                .forEach(
                    (last, tensor) -> {
                      if (tensor.defined() && seen.add(tensor)) {
                        found.put(join(path, last), tensor);
                      }
                    });
    if (recurse) {
      visit(take);
    } else {
      take.accept("", root);
    }
    return found;
  }

  /** Parameters and buffers under all their paths. */
  Map<String, Tensor> state() {
    Map<String, Tensor> state = new LinkedHashMap<>();
    visit(
        (path, module) -> {
          module.parameterMap().forEach((last, tensor) -> state.put(join(path, last), tensor));
          module.bufferMap().forEach((last, tensor) -> state.put(join(path, last), tensor));
        });
    state.values().removeIf(tensor -> !tensor.defined());
    return state;
  }

  /** Other objects for tensors, by their paths. */
  static StringTensorDict dict(Map<String, Tensor> tensors) {
    StringTensorDict dict = new StringTensorDict();
    tensors.forEach((path, tensor) -> dict.insert(path, new Tensor(tensor)));
    return dict;
  }

  /** The module and its parts as PyTorch writes them. */
  String text() {
    String name = root.name();
    String kind = name.endsWith("Impl") ? name.substring(0, name.length() - 4) : name;
    Map<String, Module> children = root.childMap();
    if (children.isEmpty()) {
      return kind + "(" + root.describe() + ")";
    }
    StringBuilder text = new StringBuilder(kind).append("(\n");
    if (!root.describe().isEmpty()) {
      text.append("  ").append(root.describe()).append("\n");
    }
    children.forEach(
        (child, module) ->
            text.append("  (")
                .append(child)
                .append("): ")
                .append(module.toString().replace("\n", "\n  "))
                .append("\n"));
    return text.append(")").toString();
  }
}
