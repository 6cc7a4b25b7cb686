package org.onetape.nn;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch;
import org.onetape.internal.Access;

/** What a module is made of: its own parameters, buffers and modules, under their names. */
abstract class ModuleParts {
  private final Map<String, Tensor> parameters = new LinkedHashMap<>();
  private final Map<String, Tensor> buffers = new LinkedHashMap<>();
  private final Map<String, Module> children = new LinkedHashMap<>();
  private final Map<String, Computed> computed = new ConcurrentHashMap<>();
  private final Set<String> shapeless = new LinkedHashSet<>();
  private volatile String nameLater;
  private final ModuleFields fields = new ModuleFields(this);

  /** The name of the module itself. */
  public abstract String name();

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
    children.put(childName, Objects.requireNonNull(module, "module"));
    return module;
  }

  /** Makes another module the part under a name, in place of the one that is there; returns it. */
  public <M extends Module> M replace_module(String childName, M module) {
    if (!childMap().containsKey(childName)) {
      throw new TorchException("Submodule '" + childName + "' is not defined");
    }
    children.put(childName, Objects.requireNonNull(module, "module"));
    fields.replace(childName, module);
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

  // ---- tensors that are computed from others ----

  /** What stands in the place of a parameter or buffer and is computed whenever it is asked for. */
  interface Computed {
    /**
     * The tensor as it is now.
     *
     * @param calling whether the module computes its result with it, not somebody looks at it
     */
    Tensor get(boolean calling);

    /** Sets what the tensor is computed from, so that it becomes a value. */
    default void set(Tensor value) {
      throw new IllegalStateException("the tensor is computed from others and cannot be set");
    }
  }

  /** What computes a tensor of this module itself; null if nothing does. */
  final Computed computed(String tensorName) {
    return computed.get(tensorName);
  }

  /** The names of what is computed. */
  final Set<String> computedNames() {
    return computed.keySet();
  }

  /** Has a tensor computed from now on; null ends that. */
  final void compute(String tensorName, Computed value) {
    if (value == null) {
      computed.remove(tensorName);
    } else {
      computed.put(tensorName, value);
    }
  }

  /** Takes a parameter or buffer away; returns it, or null if there is none. */
  final Tensor take(String tensorName) {
    Tensor parameter = parameterMap().remove(tensorName);
    return parameter != null ? parameter : buffers.remove(tensorName);
  }

  /** Registers a tensor in the way in which another one was: as a parameter or as a buffer. */
  final void registerAs(
      String tensorName, Tensor tensor, boolean isParameter, boolean requiresGrad) {
    if (isParameter) {
      register_parameter(tensorName, tensor, requiresGrad);
    } else {
      register_buffer(tensorName, tensor);
    }
  }

  // ---- tensors whose shapes are not known yet ----

  /**
   * Makes room for a parameter whose shape follows from the first input, as PyTorch's {@code
   * UninitializedParameter}: {@link #materialize} gives it its shape. Optimizers may have it
   * before.
   */
  protected final Tensor register_uninitialized_parameter(String parameterName) {
    Tensor made = register_parameter(parameterName, torch.empty(0));
    shapeless.add(parameterName);
    return made;
  }

  /** Makes room for a buffer whose shape follows from the first input. */
  protected final Tensor register_uninitialized_buffer(String bufferName) {
    Tensor made = register_buffer(bufferName, torch.empty(0));
    shapeless.add(bufferName);
    return made;
  }

  /** Whether there are parameters or buffers without a shape. */
  public final boolean has_uninitialized_params() {
    return !shapeless.isEmpty();
  }

  /** Gives a parameter or buffer its shape, if it has none; its elements are not set. */
  protected final void materialize(String tensorName, long... shape) {
    if (shapeless.remove(tensorName)) {
      Tensor tensor = registered(tensorName);
      try (MemoryScope scope = new MemoryScope()) {
        tensor.set_data(torch.empty(shape).to(tensor.scalar_type()));
      }
    }
  }

  /** The names of what has no shape. */
  final Set<String> shapeless() {
    return shapeless;
  }

  /** The module waits for its first input; it has this name afterwards. */
  final void waitForInput(String laterName) {
    nameLater = laterName;
  }

  abstract void rename(String newName);

  /** Gives the parts that wait for it their shapes and first values. */
  void initialize(Tensor input) {}

  /** Has what waits for the first input made; to be called with every input. */
  final void see(Tensor input) {
    if (nameLater != null) {
      becomeReady(input);
    }
  }

  private synchronized void becomeReady(Tensor input) {
    if (nameLater != null) {
      initialize(input);
      rename(nameLater);
      nameLater = null;
    }
  }

  /** Another object for a parameter of this module itself. */
  final Tensor parameter(String parameterName) {
    Computed value = computed.get(parameterName);
    return value == null ? new Tensor(parameters.get(parameterName)) : value.get(false);
  }

  /** A parameter of this module itself, to be used and not to be closed. */
  final Tensor own(String parameterName) {
    if (computed.isEmpty()) {
      return parameters.get(parameterName);
    }
    Computed value = computed.get(parameterName);
    return value == null ? parameters.get(parameterName) : value.get(true);
  }

  /** Puts another tensor in the place of a parameter. */
  final void parameter(String parameterName, Tensor tensor) {
    Computed value = computed.get(parameterName);
    if (value != null) {
      value.set(tensor);
      return;
    }
    parameters.put(parameterName, Access.unscoped(tensor));
  }

  /**
   * The parameter or buffer of this module itself that now has a name.
   *
   * @throws TorchException for a name that there is not
   */
  protected final Tensor registered(String tensorName) {
    Computed value = computed.get(tensorName);
    if (value != null) {
      return value.get(true);
    }
    Tensor found = parameterMap().getOrDefault(tensorName, buffers.get(tensorName));
    if (found == null) {
      throw new TorchException(name() + " has no parameter or buffer `" + tensorName + "`");
    }
    return found;
  }

  /** Puts a tensor in the place of a parameter or buffer, and in the field that it came from. */
  final void replace(Map<String, Tensor> owner, String tensorName, Tensor tensor) {
    owner.put(tensorName, tensor);
    fields.replace(tensorName, tensor);
  }

  final Map<String, Tensor> parameterMap() {
    fields.register(children, parameters, buffers);
    return parameters;
  }

  final Map<String, Tensor> bufferMap() {
    fields.register(children, parameters, buffers);
    return buffers;
  }

  final Map<String, Module> childMap() {
    fields.register(children, parameters, buffers);
    return children;
  }
}
