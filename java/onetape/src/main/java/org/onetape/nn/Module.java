package org.onetape.nn;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.onetape.Device;
import org.onetape.GraphRecording;
import org.onetape.NoGradGuard;
import org.onetape.StringTensorDict;
import org.onetape.Tensor;
import org.onetape.TensorVector;
import org.onetape.TorchException;
import org.onetape.global.torch.ScalarType;
import org.onetape.internal.Recording;
import org.onetape.io.InputArchive;
import org.onetape.io.OutputArchive;

/**
 * A part of a model: parameters that are trained, buffers that are not, and other modules.
 *
 * <pre>{@code
 * class Net extends Module {
 *   final LinearImpl first = new LinearImpl(4, 8);
 *   final LinearImpl second = new LinearImpl(8, 1);
 *
 *   @Override
 *   public Tensor forward(Tensor x) {
 *     return second.forward(first.forward(x).relu());
 *   }
 * }
 * }</pre>
 *
 * <p>Parts need not be registered by hand: modules in fields are parts, leaf tensors in fields that
 * require a gradient are parameters, and tensors in fields marked with {@link Buffer} are buffers,
 * each under the name of its field.
 *
 * <p>The tensors of a module belong to it and to no scope: they live as long as the module does, or
 * until {@link #close()}.
 */
public class Module extends ModuleKinds implements AutoCloseable {
  private String name;
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
  @Override
  public final String name() {
    return name;
  }

  @Override
  final void rename(String newName) {
    name = newName;
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
   * <p>It replaces what is registered and what is a parameter because of its field; a module that
   * keeps a registered tensor in a field, too, asks for it by {@link #registered} instead. Calls on
   * one module must not run at the same time.
   *
   * @param tensors by the names of {@link #named_parameters()} and {@link #named_buffers()}; what
   *     is not named stays
   * @param inputs one to three
   * @throws TorchException for a name that there is not
   */
  public final Tensor functionalCall(Map<String, Tensor> tensors, Tensor... inputs) {
    return functionalCall(tensors, () -> call(inputs));
  }

  /** The same for anything that is computed with this module. */
  public final <T> T functionalCall(Map<String, Tensor> tensors, Supplier<T> call) {
    return FunctionalCall.call(this, tensors, call);
  }

  @Override
  Tensor forwardAll(Tensor... inputs) {
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

  /**
   * Says that this module is being called, until what is returned is closed, to {@link
   * GraphRecording}; null, which a {@code try} takes as well, while nobody records.
   */
  protected final GraphRecording.Call entered() {
    return Recording.enter(this);
  }

  private UnsupportedOperationException notImplemented(String parameters) {
    return new UnsupportedOperationException(
        getClass().getName() + " does not implement forward(" + parameters + ")");
  }

  // ---- parts ----

  /** The modules that are parts of this one. */
  public SharedModuleVector children() {
    return new SharedModuleVector(childMap().values());
  }

  /** The modules that are parts of this one, with their names. */
  public StringSharedModuleDict named_children() {
    return new StringSharedModuleDict(childMap());
  }

  /** This module, its parts, their parts, and so on. */
  public SharedModuleVector modules() {
    return modules(true);
  }

  /** The parts of this module, their parts, and so on. */
  public SharedModuleVector modules(boolean includeSelf) {
    Set<Module> found = new LinkedHashSet<>(new ModuleTree(this).modules().values());
    if (!includeSelf) {
      found.remove(this);
    }
    return new SharedModuleVector(found);
  }

  /** This module under the empty name, its parts and theirs under the path that leads to them. */
  public StringSharedModuleDict named_modules() {
    return new StringSharedModuleDict(new ModuleTree(this).modules());
  }

  /** Calls a function with every part, the inner ones first, and with this module at last. */
  public void apply(Consumer<? super Module> function) {
    childMap().values().forEach(child -> child.apply(function));
    function.accept(this);
  }

  // ---- tensors ----

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
    return ModuleTree.dict(collect(recurse, true));
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
    return ModuleTree.dict(collect(recurse, false));
  }

  private Map<String, Tensor> collect(boolean recurse, boolean wantParameters) {
    return new ModuleTree(this).tensors(recurse, wantParameters);
  }

  /** Parameters and buffers under their paths, sharing their elements, without history. */
  public StringTensorDict state_dict() {
    StringTensorDict dict = new StringTensorDict();
    new ModuleTree(this).state().forEach((path, tensor) -> dict.insert(path, tensor.data()));
    return dict;
  }

  /**
   * Copies the tensors of a state into the parameters and buffers of the same paths.
   *
   * @throws TorchException if a path is missing on either side, or a shape differs; then nothing
   *     was changed
   */
  public IncompatibleKeys load_state_dict(StringTensorDict dict) {
    return load_state_dict(dict, true);
  }

  /**
   * Copies the tensors of a state into the parameters and buffers of the same paths.
   *
   * @param strict whether it is an error if the state lacks a path of the module, or has one more
   * @return the paths that were missing, and those that the module does not have
   * @throws TorchException if a shape differs, too; then nothing was changed
   */
  public IncompatibleKeys load_state_dict(StringTensorDict dict, boolean strict) {
    return ModuleState.load(this, dict, strict);
  }

  /** Writes the parameters and buffers, and those of the parts, to an archive. */
  public void save(OutputArchive archive) {
    parameterMap().forEach(archive::write);
    bufferMap().forEach((name, buffer) -> archive.write(name, buffer, true));
    childMap()
        .forEach(
            (name, child) -> {
              OutputArchive nested = new OutputArchive();
              child.save(nested);
              archive.write(name, nested);
            });
  }

  /**
   * Reads the parameters and buffers, and those of the parts, from an archive.
   *
   * @throws TorchException if one is missing, or has another shape; then nothing was changed
   */
  public void load(InputArchive archive) {
    ModuleState.load(this, archive);
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
    for (Tensor tensor : new ModuleTree(this).state().values()) {
      if (tensor.is_floating_point()) {
        try (Tensor converted = tensor.data().to(type)) {
          tensor.set_data(converted);
        }
      }
    }
  }

  /**
   * Moves parameters and buffers to another device.
   *
   * @throws UnsupportedOperationException if they are on {@code meta}, where there are no elements
   */
  public void to(Device device, boolean nonBlocking) {
    for (Tensor tensor : new ModuleTree(this).state().values()) {
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

  // ---- ends ----

  /** Whether there is no module behind this object: never. */
  public final boolean isNull() {
    return false;
  }

  /** Lets go of the tensors of this module and its parts; they cannot be used afterwards. */
  @Override
  public void close() {
    apply(
        module -> {
          module.parameterMap().values().forEach(Tensor::close);
          module.bufferMap().values().forEach(Tensor::close);
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
    return new ModuleTree(this).text();
  }
}
