package org.onetape.operators;

import static org.onetape.global.torch.cat;
import static org.onetape.global.torch.stack;
import static org.onetape.global.torch.tensor;
import static org.onetape.global.torch.where;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.onetape.AutoGradMode;
import org.onetape.Autograd;
import org.onetape.Checkpoint;
import org.onetape.Function;
import org.onetape.LeafHook;
import org.onetape.Node;
import org.onetape.NodeHook;
import org.onetape.SavedTensorsHooks;
import org.onetape.Tensor;
import org.onetape.TensorHook;
import org.onetape.TensorIndex;

/**
 * Runs the programs of {@code tests/golden/programs}; machine.py there says what they are made of.
 */
final class ProgramMachine implements AutoCloseable {
  /** What happened on the way: hooks and errors, in their order. */
  final List<Object> log = new ArrayList<>();

  private final List<Tensor> registers = new ArrayList<>();
  private final Deque<AutoGradMode> modes = new ArrayDeque<>();
  private final Deque<Tensor> leaves = new ArrayDeque<>();
  private SavedTensorsHooks packing;

  /**
   * A machine.
   *
   * @param leaves what it takes for the program's leaves; it makes them where there are none
   */
  ProgramMachine(Tensor... leaves) {
    this.leaves.addAll(Arrays.asList(leaves));
  }

  /** A custom function. */
  static final class Square extends Function {
    @Override
    public Tensor forward(Tensor x) {
      return x.mul(x);
    }

    @Override
    public Tensor backward(Tensor gradient) {
      return gradient.mul(input).mul(2);
    }
  }

  @Override
  public void close() {
    pack(false);
    modes.forEach(AutoGradMode::close);
  }

  void run(JsonArray program) {
    for (JsonElement step : program) {
      step(step.getAsJsonArray());
    }
  }

  void step(JsonArray instruction) {
    String name = instruction.get(0).getAsString();
    try {
      List<Object> arguments = new ArrayList<>();
      for (int i = 1; i < instruction.size(); i++) {
        arguments.add(value(instruction.get(i)));
      }
      Object result = call(name, arguments);
      if (!name.endsWith("_")) {
        put(result);
      }
    } catch (RuntimeException e) {
      log.add(List.of("error", Values.errorText(e)));
    }
  }

  private void put(Object result) {
    if (result instanceof Tensor[]) {
      for (Tensor tensor : (Tensor[]) result) {
        registers.add(tensor.defined() ? tensor : null);
      }
    } else {
      registers.addAll(Values.tensors(result));
    }
  }

  private Object value(JsonElement json) {
    if (json.isJsonPrimitive()) {
      return primitive(json.getAsJsonPrimitive());
    }
    JsonArray list = json.getAsJsonArray();
    if (list.size() > 0 && list.get(0).getAsJsonPrimitive().isString()) {
      Tensor[] tensors = new Tensor[list.size()];
      for (int i = 0; i < tensors.length; i++) {
        tensors[i] = (Tensor) value(list.get(i));
      }
      return tensors;
    }
    return Values.longs(list);
  }

  private Object primitive(JsonPrimitive json) {
    if (json.isBoolean()) {
      return json.getAsBoolean();
    } else if (json.isString()) {
      String text = json.getAsString();
      return text.startsWith("$") ? registers.get(Integer.parseInt(text.substring(1))) : text;
    }
    String text = json.getAsString();
    return text.contains(".") ? (Object) Double.valueOf(text) : (Object) Long.valueOf(text);
  }

  private Object call(String name, List<Object> a) {
    Tensor first = a.get(0) instanceof Tensor ? (Tensor) a.get(0) : null;
    switch (name) {
      case "leaf":
        return leaves.isEmpty() ? pattern(a).requires_grad_(true) : leaves.pop();
      case "const":
        return pattern(a);
      case "ints":
        return tensor((long[]) a.get(1)).reshape((long[]) a.get(0));
      case "bools":
        return tensor((long[]) a.get(1)).ne(0).reshape((long[]) a.get(0));
      case "index":
        return first.index(new TensorIndex((Tensor) a.get(1)));
      case "to":
        return first.to(Values.type((String) a.get(1)));
      case "cat":
        return cat((Tensor[]) a.get(0), (Long) a.get(1));
      case "stack":
        return stack((Tensor[]) a.get(0), (Long) a.get(1));
      case "where":
        return where(first, (Tensor) a.get(1), (Tensor) a.get(2));
      case "function":
        return new Square().apply(first);
      case "checkpoint":
        return Checkpoint.checkpoint(
            t -> t.sin().mul(t).tanh(), first, new Checkpoint.Options().useReentrant(false));
      case "grad":
        return gradients((Tensor[]) a.get(0), (Tensor[]) a.get(1), flag(a, 2), flag(a, 3));
      case "backward":
        Tensor[] roots = (Tensor[]) a.get(0);
        Autograd.backward(roots, cotangents(roots), flag(a, 2), flag(a, 1));
        return null;
      case "mode":
        modes.push(new AutoGradMode(flag(a, 0)));
        return null;
      case "packing":
        pack(flag(a, 0));
        return null;
      case "forget":
        first.set_grad(new Tensor());
        return null;
      default:
        return isHook(name) ? hook(name, first, a) : ProgramCalls.call(name, a);
    }
  }

  private static boolean flag(List<Object> arguments, int place) {
    return (Boolean) arguments.get(place);
  }

  private static Tensor pattern(List<Object> a) {
    int seed = ((Long) a.get(1)).intValue();
    // A copy, since the pattern is a view of other memory.
    return Values.pattern(Values.type((String) a.get(2)), (long[]) a.get(0), seed).clone();
  }

  private void pack(boolean on) {
    if (on && packing == null) {
      packing = new SavedTensorsHooks(Tensor::clone, packed -> (Tensor) packed);
    } else if (!on && packing != null) {
      packing.close();
      packing = null;
    }
  }

  // ---- hooks ----

  private static boolean isHook(String name) {
    return List.of("scale", "watch", "accumulated", "node").contains(name);
  }

  private Object hook(String name, Tensor tensor, List<Object> a) {
    String what = name + " " + log.size();
    if (name.equals("node")) {
      Node node = tensor.grad_fn();
      if (node.defined()) {
        node.register_hook(noting(what));
      }
    } else if (name.equals("accumulated")) {
      LeafHook hook = leaf -> note(what, leaf.grad());
      tensor.register_post_accumulate_grad_hook(hook);
    } else {
      Double factor = name.equals("scale") ? (Double) a.get(1) : null;
      TensorHook hook =
          gradient -> {
            note(what, gradient);
            return factor == null || !gradient.defined() ? null : gradient.mul(factor);
          };
      tensor.register_hook(hook);
    }
    log.add(List.of("hook"));
    return null;
  }

  private NodeHook noting(String what) {
    return (inputs, outputs) -> {
      for (Tensor gradient : outputs) {
        note(what, gradient);
      }
      return null;
    };
  }

  private void note(String what, Tensor tensor) {
    List<Object> entry = new ArrayList<>();
    entry.add(what);
    boolean isNone = tensor == null || !tensor.defined();
    entry.add(isNone ? null : List.of(tensor.shape(), ProgramChecksum.of(tensor)));
    log.add(entry);
  }

  // ---- gradients ----

  private static Tensor[] cotangents(Tensor... roots) {
    Tensor[] found = new Tensor[roots.length];
    for (int i = 0; i < roots.length; i++) {
      found[i] = Values.pattern(roots[i].scalar_type(), roots[i].shape(), i + 3);
    }
    return found;
  }

  private static Tensor[] gradients(
      Tensor[] roots, Tensor[] inputs, boolean create, boolean retain) {
    Tensor[] found = Autograd.grad(roots, inputs, cotangents(roots), retain, create, true);
    for (int i = 0; i < found.length; i++) {
      // Copies, since it is nobody's business which memory and version a gradient has.
      found[i] = found[i].defined() ? found[i].clone() : found[i];
    }
    return found;
  }

  // ---- what is there in the end ----

  /** The registers of these names. */
  Tensor[] values(JsonArray names) {
    return (Tensor[]) value(names);
  }

  /** Of each register: form, checksum, node, version, what kind of tensor it is, its gradient. */
  List<Object> state() {
    List<Object> found = new ArrayList<>();
    for (Tensor register : registers) {
      try {
        found.add(register == null ? List.of() : state(register));
      } catch (RuntimeException e) { // a view that lost its history
        found.add(List.of(Values.errorText(e)));
      }
    }
    return found;
  }

  private static List<Object> state(Tensor tensor) {
    Node node = tensor.grad_fn();
    String kind =
        (tensor.requires_grad() ? "r" : "")
            + (tensor.is_leaf() ? "l" : "")
            + (tensor.is_view() ? "v" : "");
    boolean hasGradient = tensor.is_leaf() || tensor.retains_grad();
    Tensor gradient = hasGradient ? tensor.grad() : new Tensor();
    List<Object> state = new ArrayList<>();
    state.add(Values.name(tensor.scalar_type()) + " " + Arrays.toString(tensor.shape()));
    state.add(ProgramChecksum.of(tensor));
    state.add(node.defined() ? node.name().replaceAll(".*::", "") : null);
    state.add(tensor._version());
    state.add(kind);
    state.add(gradient.defined() ? ProgramChecksum.of(gradient) : null);
    return state;
  }

  /** The first place where this is not the stored answer; null if it is. */
  String difference(JsonObject stored, double tolerance) {
    String inLog = ProgramChecksum.difference("log", stored.getAsJsonArray("log"), log, tolerance);
    return inLog != null
        ? inLog
        : ProgramChecksum.difference(
            "register", stored.getAsJsonArray("registers"), state(), tolerance);
  }
}
