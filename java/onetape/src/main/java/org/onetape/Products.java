package org.onetape;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.onetape.Autograd.Product;
import org.onetape.Autograd.TensorsFunction;
import org.onetape.global.torch;

/** Products of vectors with Jacobians and Hessians: the work behind the methods of Autograd. */
final class Products {
  private static final String OUTPUTS = "outputs of the user-provided function";
  private static final String NOT_STRICT = " This is not allowed in strict mode";

  private final TensorsFunction function;
  private final String name;
  private final boolean createGraph;
  private final boolean strict;

  Products(TensorsFunction function, String name, boolean createGraph, boolean strict) {
    this.function = function;
    this.name = name;
    this.createGraph = createGraph;
    this.strict = strict;
  }

  // ---- what goes in and comes out ----

  static void checkTensors(Tensor[] tensors, String what, String name) {
    if (tensors == null || tensors.length == 0) {
      throw new TypeException("The " + what + " given to " + name + " must be tensors, got none.");
    }
    for (int i = 0; i < tensors.length; i++) {
      if (tensors[i] == null || !tensors[i].defined()) {
        throw new TypeException(
            "The "
                + what
                + " given to "
                + name
                + " must be tensors, but the value at index "
                + i
                + " is "
                + (tensors[i] == null ? "null" : "undefined")
                + ".");
      }
    }
  }

  /** Tensors that only this call knows, so that what the function uses otherwise does not count. */
  static Tensor[] fresh(Tensor[] tensors, boolean createGraph, boolean requiresGrad) {
    return Arrays.stream(tensors)
        .map(
            t ->
                createGraph && t.requires_grad()
                    ? t.view_as(t)
                    : t.detach().requires_grad_(requiresGrad))
        .toArray(Tensor[]::new);
  }

  static Tensor[] plain(Tensor[] tensors, boolean createGraph) {
    return createGraph
        ? tensors
        : Arrays.stream(tensors).map(Tensor::detach).toArray(Tensor[]::new);
  }

  private Tensor[] outputsFor(Tensor[] leaves) {
    Tensor[] outputs = function.apply(leaves);
    checkTensors(outputs, OUTPUTS, name);
    checkRecorded(outputs);
    return outputs;
  }

  private void checkRecorded(Tensor[] outputs) {
    for (int i = 0; strict && i < outputs.length; i++) {
      if (!outputs[i].requires_grad()) {
        throw new TorchException(
            "Output "
                + i
                + " of the user-provided function does not require gradients. The outputs"
                + " must be computed in a differentiable manner from the input when running in"
                + " strict mode.");
      }
    }
  }

  private Tensor[] vector(Tensor[] v, Tensor[] like) {
    checkTensors(v, "v", name);
    if (v.length != like.length) {
      throw new TorchException(
          like.length == 1
              ? "The given v should contain a single Tensor."
              : "v is a tuple of invalid length: should be "
                  + like.length
                  + " but got "
                  + v.length
                  + ".");
    }
    for (int i = 0; i < v.length; i++) {
      if (!Arrays.equals(v[i].shape(), like[i].shape())) {
        throw new TorchException(
            (like.length == 1 ? "" : "Entry " + i + " in ")
                + "v has invalid size: should be torch.Size("
                + Arrays.toString(like[i].shape())
                + ") but got torch.Size("
                + Arrays.toString(v[i].shape())
                + ").");
      }
    }
    return fresh(v, createGraph, false);
  }

  private Tensor[] inputVector(Tensor[] v, Tensor[] leaves) {
    if (v != null) {
      return vector(v, leaves);
    }
    if (leaves.length != 1 || leaves[0].numel() != 1) {
      throw new TorchException(
          "The vector v can only be None if the input to the user-provided function is a single"
              + " Tensor with a single element.");
    }
    return null;
  }

  // ---- gradients ----

  /** The gradients of those outputs that have one; null where there is none. */
  static Tensor[] gradients(
      Tensor[] outputs, Tensor[] inputs, Tensor[] vectors, boolean retain, boolean createGraph) {
    List<Tensor> recorded = new ArrayList<>();
    List<Tensor> along = new ArrayList<>();
    for (int i = 0; i < outputs.length; i++) {
      if (outputs[i] != null && outputs[i].requires_grad()) {
        recorded.add(outputs[i]);
        along.add(vectors == null ? null : vectors[i]);
      }
    }
    Tensor[] found = new Tensor[inputs.length];
    if (!recorded.isEmpty()) {
      Tensor[] none = new Tensor[0];
      found =
          Autograd.grad(
              recorded.toArray(none), inputs, along.toArray(none), retain, createGraph, true);
    }
    for (int i = 0; i < found.length; i++) {
      found[i] = found[i] != null && found[i].defined() ? found[i] : null;
    }
    return found;
  }

  /** Zeros for what is missing; in strict mode an error instead. */
  private Tensor[] filled(Tensor[] gradients, Tensor[] like, String unused, String what) {
    Tensor[] all = gradients.clone();
    for (int i = 0; i < all.length; i++) {
      if (strict && all[i] == null) {
        throw new TorchException(String.format(unused, i));
      }
      if (strict && createGraph && !all[i].requires_grad()) {
        throw new TorchException(
            "The "
                + what
                + " of the user-provided function is independent of input "
                + i
                + "."
                + NOT_STRICT
                + " when create_graph=True.");
      }
      all[i] = all[i] == null ? torch.zeros_like(like[i]) : all[i];
    }
    return all;
  }

  private void checkDepend(Tensor[] gradients, String text) {
    for (int i = 0; strict && i < gradients.length; i++) {
      if (gradients[i] == null) {
        throw new TorchException(
            "The output of the user-provided function is independent of input "
                + i
                + "."
                + NOT_STRICT
                + ".");
      }
      if (!gradients[i].requires_grad()) {
        throw new TorchException(String.format(text, i));
      }
    }
  }

  private Tensor[] probes(Tensor[] like) {
    return Arrays.stream(like)
        .map(t -> torch.zeros_like(t).requires_grad_(true))
        .toArray(Tensor[]::new);
  }

  private Product product(Tensor[] outputs, Tensor[] products) {
    return new Product(plain(outputs, createGraph), plain(products, createGraph));
  }

  // ---- products ----

  Product vjp(Tensor[] inputs, Tensor[] v) {
    checkTensors(inputs, "inputs", name);
    try (EnableGradGuard guard = new EnableGradGuard()) {
      Tensor[] leaves = fresh(inputs, createGraph, true);
      Tensor[] outputs = outputsFor(leaves);
      Tensor[] vector = null;
      if (v != null) {
        vector = vector(v, outputs);
      } else if (outputs.length != 1 || outputs[0].numel() != 1) {
        throw new TorchException(
            "The vector v can only be None if the user-provided function returns a single Tensor"
                + " with a single element.");
      }
      Tensor[] found = gradients(outputs, leaves, vector, createGraph, createGraph);
      String unused =
          "The output of the user-provided function is independent of input %d." + NOT_STRICT + ".";
      return product(outputs, filled(found, leaves, unused, "jacobian"));
    }
  }

  Product jvp(Tensor[] inputs, Tensor[] v) {
    checkTensors(inputs, "inputs", name);
    try (EnableGradGuard guard = new EnableGradGuard()) {
      Tensor[] leaves = fresh(inputs, createGraph, true);
      Tensor[] vector = inputVector(v, leaves);
      Tensor[] outputs = outputsFor(leaves);
      Tensor[] probes = probes(outputs);
      Tensor[] backs = gradients(outputs, leaves, probes, true, true);
      checkDepend(
          backs,
          "The gradient with respect to input %d is independent of the inputs of the user-provided"
              + " function."
              + NOT_STRICT
              + ".");
      Tensor[] found = gradients(backs, probes, vector, createGraph, createGraph);
      String unused =
          "The gradient with respect to the input is independent of entry %d in the grad_outputs"
              + " when using the double backward trick to compute forward mode gradients."
              + NOT_STRICT
              + ".";
      return product(outputs, filled(found, outputs, unused, "jacobian"));
    }
  }

  private static final String LINEAR =
      "While computing the hessian, found that the jacobian of the user-provided function with"
          + " respect to input %d is independent of the input. This is not allowed in strict mode."
          + " You should ensure that your function is twice differentiable and that the jacobian"
          + " depends on the inputs (this would be violated by a linear function for example).";

  private Tensor[] numberFor(Tensor[] leaves) {
    Tensor[] outputs = outputsFor(leaves);
    if (outputs.length != 1) {
      throw new TorchException("The function given to " + name + " should return a single Tensor");
    }
    if (outputs[0].numel() != 1) {
      throw new TorchException(
          "The Tensor returned by the function given to "
              + name
              + " should contain a single element");
    }
    return outputs;
  }

  /** The gradient of a number, itself recorded; zeros for what it does not depend on. */
  Tensor[] filledGradient(Tensor[] leaves) {
    Tensor[] found = gradients(numberFor(leaves), leaves, null, true, true);
    checkDepend(found, LINEAR);
    return zerosFor(found, leaves);
  }

  private static Tensor[] zerosFor(Tensor[] gradients, Tensor[] like) {
    Tensor[] all = gradients.clone();
    for (int i = 0; i < all.length; i++) {
      all[i] = all[i] == null ? torch.zeros_like(like[i]) : all[i];
    }
    return all;
  }

  Product vhp(Tensor[] inputs, Tensor[] v) {
    return hessianProduct(inputs, v, false);
  }

  Product hvp(Tensor[] inputs, Tensor[] v) {
    return hessianProduct(inputs, v, true);
  }

  private Product hessianProduct(Tensor[] inputs, Tensor[] v, boolean transposed) {
    checkTensors(inputs, "inputs", name);
    try (EnableGradGuard guard = new EnableGradGuard()) {
      Tensor[] leaves = fresh(inputs, createGraph, true);
      Tensor[] vector = inputVector(v, leaves);
      Tensor[] outputs = numberFor(leaves);
      Tensor[] first = gradients(outputs, leaves, null, true, true);
      checkDepend(first, LINEAR);
      if (!transposed) {
        Tensor[] found = gradients(first, leaves, vector, createGraph, createGraph);
        String unused =
            "The jacobian of the user-provided function is independent of input %d."
                + NOT_STRICT
                + ".";
        return product(outputs, filled(found, leaves, unused, "hessian"));
      }
      Tensor[] probes = probes(leaves);
      Tensor[] second = gradients(first, leaves, probes, true, true);
      Tensor[] found = gradients(second, probes, vector, createGraph, createGraph);
      String unused =
          "The hessian of the user-provided function is independent of entry %d in the"
              + " grad_jacobian."
              + NOT_STRICT
              + " as it prevents from using the double backward"
              + " trick to replace forward mode AD.";
      return product(outputs, filled(found, leaves, unused, "hessian"));
    }
  }
}
