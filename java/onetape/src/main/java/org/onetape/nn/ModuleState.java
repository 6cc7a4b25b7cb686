package org.onetape.nn;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.onetape.MemoryScope;
import org.onetape.NoGradGuard;
import org.onetape.StringTensorDict;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch;
import org.onetape.io.InputArchive;

/** A state that is to be loaded into a module: what of it fits, and what does not. */
final class ModuleState {
  private final Map<String, Tensor> own;
  private final Map<String, Module> owners = new HashMap<>(); // of what has no shape yet
  private final Set<String> missing;
  private final List<String> unexpected = new ArrayList<>();
  private final List<String> mismatches = new ArrayList<>();

  private ModuleState(Module module, StringTensorDict given) {
    this.own = new ModuleTree(module).state();
    missing = new LinkedHashSet<>(own.keySet());
    new ModuleTree(module)
        .visit(
            (path, part) ->
                part.shapeless().forEach(name -> owners.put(ModuleTree.join(path, name), part)));
    for (var item : given) {
      String path = item.key().getString();
      missing.remove(path);
      Tensor tensor = own.get(path);
      if (tensor == null) {
        unexpected.add(path);
      } else if (!owners.containsKey(path) && !tensor.sizes().equals(item.value().sizes())) {
        mismatches.add(
            String.format(
                "size mismatch for %s: copying a param with shape torch.Size(%s) from checkpoint,"
                    + " the shape in current model is torch.Size(%s).",
                path, item.value().sizes(), tensor.sizes()));
      }
    }
  }

  static IncompatibleKeys load(Module module, StringTensorDict given, boolean strict) {
    ModuleState state = new ModuleState(module, given);
    state.check(module.name(), strict);
    try (NoGradGuard guard = new NoGradGuard()) {
      state.own.forEach(
          (path, tensor) -> {
            if (!state.missing.contains(path)) {
              state.shape(path, given.get(path));
              tensor.copy_(given.get(path));
            }
          });
    }
    return new IncompatibleKeys(new ArrayList<>(state.missing), state.unexpected);
  }

  /** Takes what a module has from an archive, which may hold more. */
  static void load(Module module, InputArchive archive) {
    StringTensorDict given = new StringTensorDict();
    try (MemoryScope scope = new MemoryScope();
        NoGradGuard guard = new NoGradGuard()) {
      new ModuleTree(module)
          .state()
          .forEach(
              (path, tensor) -> {
                Tensor saved = torch.empty_like(tensor);
                archive.read(path, saved);
                given.insert(path, saved);
              });
      load(module, given, true);
    }
  }

  /** Gives a tensor without a shape that of what is loaded into it. */
  private void shape(String path, Tensor value) {
    Module owner = owners.get(path);
    if (owner != null && value.numel() > 0) {
      owner.materialize(path.substring(path.lastIndexOf('.') + 1), value.shape());
    }
  }

  private void check(String name, boolean strict) {
    List<String> errors = new ArrayList<>();
    if (strict && !missing.isEmpty()) {
      errors.add("Missing key(s) in state_dict: " + quoted(missing) + ". ");
    }
    if (strict && !unexpected.isEmpty()) {
      errors.add("Unexpected key(s) in state_dict: " + quoted(unexpected) + ". ");
    }
    errors.addAll(mismatches);
    if (!errors.isEmpty()) {
      throw new TorchException(
          "Error(s) in loading state_dict for " + name + ":\n\t" + String.join("\n\t", errors));
    }
  }

  private static String quoted(Iterable<String> names) {
    return "\"" + String.join("\", \"", names) + "\"";
  }
}
