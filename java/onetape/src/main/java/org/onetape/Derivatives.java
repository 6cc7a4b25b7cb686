package org.onetape;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.onetape.Autograd.TensorFunction;
import org.onetape.Autograd.TensorsFunction;
import org.onetape.Autograd.ValueAndGrad;
import org.onetape.global.torch;

/**
 * Functions that compute the gradients of others: the work behind Autograd.grad and valueAndGrad.
 */
final class Derivatives {
  private Derivatives() {}

  private static int[] places(int[] argnums, int count) {
    if (argnums.length == 0) {
      return new int[] {place(0, count)};
    }
    int[] places = new int[argnums.length];
    Set<Integer> seen = new HashSet<>();
    for (int i = 0; i < places.length; i++) {
      places[i] = place(argnums[i], count);
      if (!seen.add(places[i])) {
        throw new TorchException("argnums elements must be unique, got " + places[i] + " twice");
      }
    }
    return places;
  }

  private static int place(int argnum, int count) {
    if (argnum < -count || argnum >= count) {
      throw new TorchException(
          "Got argnum=" + argnum + ", but only " + count + " positional inputs");
    }
    return Math.floorMod(argnum, count);
  }

  /** The function that computes the value and the gradient with respect to some of the inputs. */
  static ValueAndGrad.Function valueAndGrad(TensorFunction function, int... argnums) {
    int[] chosen = argnums.clone();
    return inputs -> evaluate(function, inputs, places(chosen, inputs.length));
  }

  /** The same, the gradient alone. */
  static TensorsFunction grad(TensorFunction function, int... argnums) {
    ValueAndGrad.Function both = valueAndGrad(function, argnums);
    return inputs -> both.apply(inputs).grads();
  }

  private static ValueAndGrad evaluate(TensorFunction function, Tensor[] inputs, int[] places) {
    Products.checkTensors(inputs, "inputs", "grad");
    boolean outer = AutoGradMode.is_enabled();
    try (EnableGradGuard guard = new EnableGradGuard()) {
      Tensor[] arguments = inputs.clone();
      Tensor[] leaves = new Tensor[places.length];
      for (int i = 0; i < places.length; i++) {
        leaves[i] = leaf(inputs[places[i]], outer);
        arguments[places[i]] = leaves[i];
      }
      Tensor value = function.apply(arguments);
      if (value.dim() != 0) {
        throw new TorchException(
            "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with"
                + " "
                + value.dim()
                + " dims. Maybe you wanted to use the vjp or jacrev APIs instead?");
      }
      Results results = new Results(leaves, outer);
      boolean keep = results.depends(value);
      Tensor[] found = Products.gradients(new Tensor[] {value}, leaves, null, keep, keep);
      for (int i = 0; i < found.length; i++) {
        found[i] = found[i] == null ? torch.zeros_like(leaves[i]) : results.finished(found[i]);
      }
      return new ValueAndGrad(results.finished(value), found);
    }
  }

  /** Another name for a tensor, of this call alone; it keeps a tangent. */
  private static Tensor leaf(Tensor tensor, boolean outer) {
    return outer && tensor.requires_grad()
        ? tensor.view_as(tensor)
        : plain(tensor).requires_grad_(true);
  }

  private static Tensor plain(Tensor tensor) {
    if (!ForwardAD.isOpen()) {
      return tensor.detach();
    }
    try (NoGradGuard guard = new NoGradGuard()) {
      return tensor.view_as(tensor);
    }
  }

  /** Takes from results the history that leads only to the leaves of one call. */
  private static final class Results {
    private final Set<Node> own = new HashSet<>();
    private final boolean aliases;
    private final boolean outer;

    Results(Tensor[] leaves, boolean outer) {
      this.outer = outer;
      boolean any = false;
      for (Tensor leaf : leaves) {
        Node node = leaf.grad_fn();
        any |= node.defined();
        own.add(node.defined() ? node : accumulator(leaf));
      }
      aliases = any;
    }

    /** The node that adds to the leaf's grad: a record of its own leads to it. */
    private static Node accumulator(Tensor leaf) {
      return leaf.view_as(leaf).grad_fn().next_functions().get(0).function();
    }

    Tensor finished(Tensor tensor) {
      return depends(tensor) ? tensor : plain(tensor);
    }

    /** Does it depend on tensors that require a gradient, other than the leaves? */
    boolean depends(Tensor tensor) {
      if (!outer || !tensor.requires_grad()) {
        return false;
      }
      if (aliases) {
        return true;
      }
      List<Node> todo = new ArrayList<>();
      Set<Node> seen = new HashSet<>();
      todo.add(tensor.grad_fn().defined() ? tensor.grad_fn() : accumulator(tensor));
      while (!todo.isEmpty()) {
        Node node = todo.remove(todo.size() - 1);
        if (!node.defined() || !seen.add(node) || own.contains(node)) {
          continue;
        }
        if (node.name().endsWith("AccumulateGrad")) {
          return true;
        }
        node.next_functions().forEach(edge -> todo.add(edge.function()));
      }
      return false;
    }
  }
}
