package org.onetape.nn;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.onetape.Device;
import org.onetape.NoGradGuard;
import org.onetape.StringTensorDict;
import org.onetape.Tensor;
import org.onetape.TensorVector;
import org.onetape.TorchException;
import org.onetape.global.torch.ScalarType;
import org.onetape.internal.Access;

/**
 * A part of a model: parameters that are trained, buffers that are not, and other modules.
 *
 * <pre>{@code
 * class Net extends Module {
 *   final LinearImpl first = register_module("first", new LinearImpl(4, 8));
 *   final LinearImpl second = register_module("second", new LinearImpl(8, 1));
 *
 *   @Override
 *   public Tensor forward(Tensor x) {
 *     return second.forward(first.forward(x).relu());
 *   }
 * }
 * }</pre>
 *
 * <p>The tensors of a module belong to it and to no scope: they live as long as the module does, or
 * until {@link #close()}.
 */
public class Module implements AutoCloseable {
  private final String name;
  private final Map<String, Tensor> parameters = new LinkedHashMap<>();
  private final Map<String, Tensor> buffers = new LinkedHashMap<>();
  private final Map<String, Module> children = new LinkedHashMap<>();
  private boolean training = true;

  /** A module without parts, named after its class. */
  public Module() {
    this.name = getClass().getSimpleName();
  }

  /** A module without parts. */
  public Module(String name) {
    this.name = name;
  }

  /** The name of the module itself. */
  public final String name() {
    return name;
  }

  // ---- what a module computes ----

  /** Computes the result for an input. */
  public Tensor forward(Tensor input) {
    throw notImplemented("Tensor");
  }

  /** Computes the result for two inputs. */
  public Tensor forward(Tensor first, Tensor second) {
    throw notImplemented("Tensor, Tensor");
  }

  /** Computes the result for three inputs. */
  public Tensor forward(Tensor first, Tensor second, Tensor third) {
    throw notImplemented("Tensor, Tensor, Tensor");
  }

  /**
   * Computes the result with other tensors in the place of parameters and buffers, which the module
   * gets back afterwards; so a module is a function of its parameters, which can be differentiated.
   *
   * <pre>{@code
   * Tensor[] gradients =
   *     Autograd.grad(in -> net.functionalCall(Map.of("weight", in[0]), x).sum()).apply(weight);
   * }</pre>
   *
   * <p>It replaces what is registered: a module of one's own that is to be called so asks for its
   * tensors by {@link #registered} and does not keep them in fields. Calls on one module must not
   * run at the same time.
   *
   * @param tensors by the names of {@link #named_parameters()} and {@link #named_buffers()}; what
   *     is not named stays
   * @param inputs one to three
   * @throws TorchException for a name that there is not
   */
  public final Tensor functionalCall(Map<String, Tensor> tensors, Tensor... inputs) {
    return functionalCall(tensors, () -> forwardAll(inputs));
  }

  /** The same for anything that is computed with this module. */
  public final <T> T functionalCall(Map<String, Tensor> tensors, Supplier<T> call) {
    return FunctionalCall.call(this, tensors, call);
  }

  private Tensor forwardAll(Tensor[] inputs) {
    switch (inputs.length) {
      case 1:
        return forward(inputs[0]);
      case 2:
        return forward(inputs[0], inputs[1]);
      case 3:
        return forward(inputs[0], inputs[1], inputs[2]);
      default:
        throw new IllegalArgumentException(
            "forward takes one to three tensors, not " + inputs.length);
    }
  }

  private UnsupportedOperationException notImplemented(String parameters) {
    return new UnsupportedOperationException(
        getClass().getName() + " does not implement forward(" + parameters + ")");
  }

  // ---- parts ----

  private void checkName(String kind, String newName, Map<String, ?> taken) {
    if (newName.isEmpty()) {
      throw new TorchException(kind + " name must not be empty");
    }
    if (newName.contains(".")) {
      throw new TorchException(kind + " name must not contain a dot (got '" + newName + "')");
    }
    if (taken.containsKey(newName)) {
      throw new TorchException(kind + " '" + newName + "' already defined");
    }
  }

  /** Makes another module a part of this one, under a name; returns it. */
  public <M extends Module> M register_module(String childName, M module) {
    checkName("Submodule", childName, children);
    children.put(childName, module);
    return module;
  }

  /** Makes another module the part under a name, in place of the one that is there; returns it. */
  public <M extends Module> M replace_module(String childName, M module) {
    if (!children.containsKey(childName)) {
      throw new TorchException("Submodule '" + childName + "' is not defined");
    }
    children.put(childName, module);
    return module;
  }

  /** Takes a part away. */
  public void unregister_module(String childName) {
    children.remove(childName);
  }

  /** Makes a tensor a parameter, which takes part in differentiation; returns the parameter. */
  public Tensor register_parameter(String parameterName, Tensor tensor) {
    return register_parameter(parameterName, tensor, true);
  }

  /** Makes a tensor a parameter; returns the parameter, which belongs to the module. */
  public Tensor register_parameter(String parameterName, Tensor tensor, boolean requiresGrad) {
    checkName("Parameter", parameterName, parameters);
    Tensor parameter = tensor.defined() ? Access.unscoped(tensor) : tensor;
    if (parameter.defined() && parameter.requires_grad() != requiresGrad) {
      parameter.requires_grad_(requiresGrad);
    }
    parameters.put(parameterName, parameter);
    return parameter;
  }

  /** Makes a tensor a buffer: part of the state that is not trained; returns the buffer. */
  public Tensor register_buffer(String bufferName, Tensor tensor) {
    checkName("Buffer", bufferName, buffers);
    Tensor buffer = tensor.defined() ? Access.unscoped(tensor) : tensor;
    buffers.put(bufferName, buffer);
    return buffer;
  }

  /** Another object for a parameter of this module itself. */
  final Tensor parameter(String parameterName) {
    return new Tensor(parameters.get(parameterName));
  }

  /** A parameter of this module itself, to be used and not to be closed. */
  final Tensor own(String parameterName) {
    return parameters.get(parameterName);
  }

  /** Puts another tensor in the place of a parameter. */
  final void parameter(String parameterName, Tensor tensor) {
    parameters.put(parameterName, Access.unscoped(tensor));
  }

  /**
   * The parameter or buffer of this module itself that now has a name.
   *
   * @throws TorchException for a name that there is not
   */
  protected final Tensor registered(String tensorName) {
    Tensor found = parameters.getOrDefault(tensorName, buffers.get(tensorName));
    if (found == null) {
      throw new TorchException(name + " has no parameter or buffer `" + tensorName + "`");
    }
    return found;
  }

  final Map<String, Tensor> parameterMap() {
    return parameters;
  }

  final Map<String, Tensor> bufferMap() {
    return buffers;
  }

  final Map<String, Module> childMap() {
    return children;
  }

  /** The modules that are parts of this one. */
  public SharedModuleVector children() {
    return new SharedModuleVector(children.values());
  }

  /** The modules that are parts of this one, with their names. */
  public StringSharedModuleDict named_children() {
    return new StringSharedModuleDict(children);
  }

  /** This module, its parts, their parts, and so on. */
  public SharedModuleVector modules() {
    return modules(true);
  }

  /** The parts of this module, their parts, and so on. */
  public SharedModuleVector modules(boolean includeSelf) {
    Set<Module> found = new LinkedHashSet<>();
    visit("", (path, module) -> found.add(module));
    if (!includeSelf) {
      found.remove(this);
    }
    return new SharedModuleVector(found);
  }

  /** This module under the empty name, its parts and theirs under the path that leads to them. */
  public StringSharedModuleDict named_modules() {
    Map<String, Module> found = new LinkedHashMap<>();
    Set<Module> seen = new LinkedHashSet<>();
    visit(
        "",
        (path, module) -> {
          if (seen.add(module)) {
            found.put(path, module);
          }
        });
    return new StringSharedModuleDict(found);
  }

  private void visit(String path, BiConsumer<String, Module> visitor) {
    visitor.accept(path, this);
    children.forEach((child, module) -> module.visit(join(path, child), visitor));
  }

  private static String join(String path, String last) {
    return path.isEmpty() ? last : path + "." + last;
  }

  /** Calls a function with every part, the inner ones first, and with this module at last. */
  public void apply(Consumer<? super Module> function) {
    children.values().forEach(child -> child.apply(function));
    function.accept(this);
  }

  // ---- tensors ----

  private Map<String, Tensor> collect(boolean recurse, boolean wantParameters) {
    Map<String, Tensor> found = new LinkedHashMap<>();
    Set<Tensor> seen = new LinkedHashSet<>();
    BiConsumer<String, Module> take =
        (path, module) ->
            (wantParameters ? module.parameters : module.buffers)
                .forEach(
                    (last, tensor) -> {
                      if (tensor.defined() && seen.add(tensor)) {
                        found.put(join(path, last), tensor);
                      }
                    });
    if (recurse) {
      visit("", take);
    } else {
      take.accept("", this);
    }
    return found;
  }

  private static StringTensorDict dict(Map<String, Tensor> tensors) {
    StringTensorDict dict = new StringTensorDict();
    tensors.forEach((path, tensor) -> dict.insert(path, new Tensor(tensor)));
    return dict;
  }

  /** The parameters of this module and its parts, each once. */
  public TensorVector parameters() {
    return parameters(true);
  }

  /** The parameters of this module and, if so said, its parts, each once. */
  public TensorVector parameters(boolean recurse) {
    return new TensorVector(collect(recurse, true).values());
  }

  /** The parameters under the path that leads to them. */
  public StringTensorDict named_parameters() {
    return named_parameters(true);
  }

  /** The parameters of this module and, if so said, its parts, under their paths. */
  public StringTensorDict named_parameters(boolean recurse) {
    return dict(collect(recurse, true));
  }

  /** The buffers of this module and its parts, each once. */
  public TensorVector buffers() {
    return buffers(true);
  }

  /** The buffers of this module and, if so said, its parts, each once. */
  public TensorVector buffers(boolean recurse) {
    return new TensorVector(collect(recurse, false).values());
  }

  /** The buffers under the path that leads to them. */
  public StringTensorDict named_buffers() {
    return named_buffers(true);
  }

  /** The buffers of this module and, if so said, its parts, under their paths. */
  public StringTensorDict named_buffers(boolean recurse) {
    return dict(collect(recurse, false));
  }

  private Map<String, Tensor> state() {
    Map<String, Tensor> state = new LinkedHashMap<>();
    visit(
        "",
        (path, module) -> {
          module.parameters.forEach((last, tensor) -> state.put(join(path, last), tensor));
          module.buffers.forEach((last, tensor) -> state.put(join(path, last), tensor));
        });
    state.values().removeIf(tensor -> !tensor.defined());
    return state;
  }

  /** Parameters and buffers under their paths, sharing their elements, without history. */
  public StringTensorDict state_dict() {
    StringTensorDict dict = new StringTensorDict();
    state().forEach((path, tensor) -> dict.insert(path, tensor.data()));
    return dict;
  }

  /**
   * Copies the tensors of a state into the parameters and buffers of the same paths.
   *
   * @throws TorchException if a path is missing on either side, or a shape differs; then nothing
   *     was changed
   */
  public void load_state_dict(StringTensorDict dict) {
    Map<String, Tensor> state = state();
    checkState(state, dict);
    try (NoGradGuard guard = new NoGradGuard()) {
      state.forEach((path, tensor) -> tensor.copy_(dict.get(path)));
    }
  }

  private void checkState(Map<String, Tensor> state, StringTensorDict dict) {
    Set<String> missing = new TreeSet<>(state.keySet());
    Set<String> unexpected = new TreeSet<>();
    StringBuilder errors = new StringBuilder();
    for (var item : dict) {
      String path = item.key().getString();
      missing.remove(path);
      Tensor own = state.get(path);
      if (own == null) {
        unexpected.add(path);
      } else if (!own.sizes().equals(item.value().sizes())) {
        errors.append(
            String.format(
                "\n\tsize mismatch for %s: copying a param with shape %s from checkpoint, the shape"
                    + " in current model is %s.",
                path, item.value().sizes(), own.sizes()));
      }
    }
    if (!unexpected.isEmpty()) {
      errors.insert(0, "\n\tUnexpected key(s) in state_dict: " + quoted(unexpected) + ". ");
    }
    if (!missing.isEmpty()) {
      errors.insert(0, "\n\tMissing key(s) in state_dict: " + quoted(missing) + ". ");
    }
    if (errors.length() > 0) {
      throw new TorchException("Error(s) in loading state_dict for " + name + ":" + errors);
    }
  }

  private static String quoted(Set<String> names) {
    return "\"" + String.join("\", \"", names) + "\"";
  }

  // ---- modes ----

  /** Switches this module and its parts to training. */
  public void train() {
    train(true);
  }

  /** Switches this module and its parts to training, or back. */
  public void train(boolean on) {
    apply(module -> module.training = on);
  }

  /** Switches this module and its parts to evaluation. */
  public void eval() {
    train(false);
  }

  /** Whether the module is being trained. */
  public boolean is_training() {
    return training;
  }

  /** Takes the gradients of the parameters away. */
  public void zero_grad() {
    zero_grad(true);
  }

  /** Takes the gradients of the parameters away, or sets them to zero. */
  public void zero_grad(boolean setToNone) {
    try (NoGradGuard guard = new NoGradGuard()) {
      for (Tensor parameter : collect(true, true).values()) {
        if (setToNone) {
          parameter.set_grad(null);
        } else {
          try (Tensor gradient = parameter.grad()) {
            if (gradient.defined()) {
              gradient.zero_();
            }
          }
        }
      }
    }
  }

  /** Takes the gradients of the parameters away. */
  public void zeroGrad() {
    zero_grad();
  }

  /** Converts the floating-point parameters and buffers to another element type. */
  public void to(ScalarType type, boolean nonBlocking) {
    for (Tensor tensor : state().values()) {
      if (tensor.is_floating_point()) {
        try (Tensor converted = tensor.data().to(type)) {
          tensor.set_data(converted);
        }
      }
    }
  }

  /** Moves parameters and buffers to another device. */
  public void to(Device device, boolean nonBlocking) {
    for (Tensor tensor : state().values()) {
      try (Tensor moved = tensor.data().to(device)) {
        tensor.set_data(moved);
      }
    }
  }

  /** Moves parameters and buffers to another device, and converts the floating-point ones. */
  public void to(Device device, ScalarType type, boolean nonBlocking) {
    to(device, nonBlocking);
    to(type, nonBlocking);
  }

  // ---- kinds ----

  /** This module as one of a class. */
  public <M extends Module> M as(Class<M> type) {
    return type.cast(this);
  }

  /** This module as a linear layer. */
  public LinearImpl asLinear() {
    return (LinearImpl) this;
  }

  /** This module as a sequence. */
  public SequentialImpl asSequential() {
    return (SequentialImpl) this;
  }

  /** This module. */
  public Module asModule() {
    return this;
  }

  /** Whether there is no module behind this object: never. */
  public final boolean isNull() {
    return false;
  }

  /** Lets go of the tensors of this module and its parts; they cannot be used afterwards. */
  @Override
  public void close() {
    apply(
        module -> {
          module.parameters.values().forEach(Tensor::close);
          module.buffers.values().forEach(Tensor::close);
        });
  }

  // ---- text ----

  /** What stands between the parentheses of {@link #toString()} for a module without parts. */
  protected String describe() {
    return "";
  }

  /** The module and its parts, as PyTorch writes them. */
  @Override
  public String toString() {
    String kind = name.endsWith("Impl") ? name.substring(0, name.length() - 4) : name;
    if (children.isEmpty()) {
      return kind + "(" + describe() + ")";
    }
    StringBuilder text = new StringBuilder(kind).append("(\n");
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
