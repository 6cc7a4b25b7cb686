package org.onetape.nn;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.internal.Access;

/** What a module is made of: its own parameters, buffers and modules, under their names. */
abstract class ModuleParts {
  private final Map<String, Tensor> parameters = new LinkedHashMap<>();
  private final Map<String, Tensor> buffers = new LinkedHashMap<>();
  private final Map<String, Module> children = new LinkedHashMap<>();
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
